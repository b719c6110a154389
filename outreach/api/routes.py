PROTECTED: list = []
PRIVATE: list = []
PUBLIC: list = []
web: list = []
