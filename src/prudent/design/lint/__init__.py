"""`prudent lint`: rules for tool definitions. One file a family, each rule one small class with a code."""
