import sys

from tools.chart.package import main

sys.exit(main())
