print("meshsim")
