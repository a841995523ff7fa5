"""Which heads matter: what each adds to the loss when it is switched off."""
