/* Ceremonies of passkeys. Without this script, or without passkeys in the browser, pages do not offer them. Source: docs/decisions/0102. */
const decoded = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.codePointAt(0));
const encoded = (buffer) =>
  btoa(String.fromCodePoint(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const credentials = (list = []) => list.map((one) => ({ ...one, id: decoded(one.id) }));

const tooLate = 'That took too long, or another page asked for a passkey meanwhile. Try again.';

async function call(path, body) {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`/api/auth/${path}`, body === undefined ? {} : request);
  const answer = await response.json();
  if (response.ok) return answer;
  if (answer.code === 'auth.reauthentication_required')
    location.assign(`/reauthenticate?returnTo=${encodeURIComponent(location.pathname + location.search)}`);
  const [problem] = answer.errors ?? [];
  const isOld = problem?.code === 'challenge';
  const message = isOld ? tooLate : problem?.pointer === '/name' ? problem.message : answer.detail;
  throw Object.assign(new Error(message), { isAnswer: body !== undefined });
}

const common = ({ id, rawId, type, response }) => ({
  id,
  rawId: encoded(rawId),
  type,
  response: { clientDataJSON: encoded(response.clientDataJSON) },
});

async function register(area) {
  const options = await call('passkey/generate-register-options');
  const publicKey = {
    ...options,
    challenge: decoded(options.challenge),
    user: { ...options.user, id: decoded(options.user.id) },
    excludeCredentials: credentials(options.excludeCredentials),
  };
  const made = await navigator.credentials.create({ publicKey });
  const { response, ...rest } = common(made);
  const { attestationObject } = made.response;
  const transports = made.response.getTransports?.() ?? [];
  const name = area.querySelector('input[name=name]').value.trim();
  await call('passkey/verify-registration', {
    response: { ...rest, response: { ...response, attestationObject: encoded(attestationObject), transports } },
    ...(name !== '' && { name }),
  });
}

async function assertion(how = {}) {
  const options = await call('passkey/generate-authenticate-options');
  const publicKey = {
    ...options,
    challenge: decoded(options.challenge),
    allowCredentials: credentials(options.allowCredentials),
  };
  const made = await navigator.credentials.get({ publicKey, ...how });
  const { response, ...rest } = common(made);
  const { authenticatorData, signature, userHandle } = made.response;
  const person = userHandle?.byteLength > 0 ? { userHandle: encoded(userHandle) } : {};
  const proof = { authenticatorData: encoded(authenticatorData), signature: encoded(signature), ...person };
  return { ...rest, response: { ...response, ...proof } };
}

const ceremonies = {
  register,
  prove: async (_area, how) => call('reauthenticate', { passkey: await assertion(how) }),
  'sign-in': async (_area, how) => call('passkey/verify-authentication', { response: await assertion(how) }),
};

const words = {
  NotAllowedError: 'No passkey was used: the browser canceled the request, or it took too long. Try again.',
  InvalidStateError: 'This device has a passkey of your account already.',
};

/** Performs the ceremony of an area, and opens the page that follows. */
async function perform(area, how) {
  const problem = area.querySelector('[role=alert]');
  problem.hidden = true;
  try {
    await ceremonies[area.dataset.passkey](area, how);
    location.assign(area.dataset.next);
  } catch (error) {
    // An offer in the background tells nothing before the person takes it.
    if (how !== undefined && error.isAnswer !== true) return;
    problem.textContent = words[error.name] ?? error.message;
    problem.hidden = false;
  }
}

/** Lets the browser offer passkeys in the field of the e-mail address. Returns a function that ends the offer. */
function offerInField(area) {
  const waiting = new AbortController();
  const begin = async () => {
    const isThere = await PublicKeyCredential.isConditionalMediationAvailable?.();
    if (isThere && !waiting.signal.aborted) await perform(area, { mediation: 'conditional', signal: waiting.signal });
  };
  const over = begin();
  // Two challenges at a time would overwrite each other's cookie.
  return () => {
    waiting.abort();
    return over;
  };
}

for (const area of document.querySelectorAll('[data-passkey]')) {
  if (globalThis.PublicKeyCredential === undefined || location.origin !== area.dataset.origin) continue;
  area.hidden = false;
  const endOffer = area.dataset.passkey === 'sign-in' ? offerInField(area) : async () => undefined;
  const button = area.querySelector('button');
  const begin = async (event) => {
    event.preventDefault();
    button.disabled = true;
    await endOffer();
    await perform(area);
    button.disabled = false;
  };
  if (area.matches('form')) area.addEventListener('submit', (event) => void begin(event));
  else button.addEventListener('click', (event) => void begin(event));
}
