import sys

from tools.kafka.run import main

sys.exit(main())
