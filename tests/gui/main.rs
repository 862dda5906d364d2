//! The window, driven through its accessibility tree.
