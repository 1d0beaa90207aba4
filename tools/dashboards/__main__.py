import sys

from tools.dashboards.write import main

sys.exit(main())
