"""What fills a tab of the centre: models, data, import, welcome, knowledge, help."""
