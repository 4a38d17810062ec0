"""What threads share without order: races in shared and global memory, fences that are missing, slots used again."""
