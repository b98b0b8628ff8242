// One request of a screen, and what came of it.

// The answer to a look at an address, or to a `body` of JSON or of a form that is sent there; what is wrong is thrown as
// {status, detail, retry}, status 0 where nobody answered. With `keepalive` it goes off though the page is left.
export async function ask(address, { body, token = "", keepalive = false } = {}) {
  const options = { headers: { Accept: "application/json" }, redirect: "manual", keepalive };
  if (body !== undefined) {
    const isForm = body instanceof URLSearchParams;
    Object.assign(options, { method: "POST", body: isForm ? body : JSON.stringify(body) });
    options.headers["X-Form-Token"] = token;
    if (!isForm) options.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw { status: 0, detail: "" };
  }
  if (answer.type === "opaqueredirect") throw { status: 401, detail: "" };
  let said;
  try {
    said = await answer.json();
  } catch {
    throw { status: answer.ok ? 0 : answer.status, detail: "" };
  }
  if (!answer.ok) throw { status: answer.status, detail: said.detail ?? "", retry: Number(answer.headers.get("Retry-After")) };
  return said;
}
