#!/usr/bin/env python3
#: description: Fails with an exception.
raise ValueError("that was not expected")
