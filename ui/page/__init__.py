"""What a chapter's page is made of: sections, controls, questions, the lecture."""
