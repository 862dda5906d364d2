//! Tests of whole arrays and groups.
