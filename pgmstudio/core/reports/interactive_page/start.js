"use strict";
{
  const page = JSON.parse(document.getElementById("page").textContent);
  startPage(page, createEngine(page.program));
}
