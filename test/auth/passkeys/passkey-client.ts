import {
  createAuthenticator,
  type CeremonyOptions,
  type Lies,
  type Passkey,
} from '#test/auth/passkeys/authenticator.ts';
import type { Answer, TestApp } from '#test/support/test-app.ts';

/** Cookies of an answer, as a browser sends them. */
export const cookiesOf = ({ headers }: Pick<Answer, 'headers'>): string =>
  headers
    .getSetCookie()
    .filter((line) => !/max-age=0/i.test(line))
    .map((line) => line.slice(0, line.indexOf(';')))
    .join('; ');

export interface Begun {
  readonly options: CeremonyOptions;
  /** Cookies of the session, if there is one, and of the challenge. */
  readonly cookie: string;
}

/** A browser with an authenticator. */
export function createPasskeyClient(app: TestApp, { counts = true } = {}) {
  const origin = new URL(app.config.baseUrl ?? app.addresses.api).origin;
  const authenticator = createAuthenticator({ origin, counts });
  const call = (path: string, cookie: string | undefined, body?: unknown): Promise<Answer> =>
    app.call(body === undefined ? 'GET' : 'POST', `/api/auth/${path}`, {
      cookie,
      ...(body !== undefined && { body, headers: { origin } }),
    });
  const begin = async (kind: 'register' | 'authenticate', session?: string): Promise<Begun> => {
    const answer = await call(`passkey/generate-${kind}-options`, session);
    if (answer.status !== 200) throw new Error(`options: ${answer.status} ${JSON.stringify(answer.body)}`);
    return { options: answer.body, cookie: [session, cookiesOf(answer)].filter(Boolean).join('; ') };
  };
  return {
    authenticator,
    call,
    begin,
    /** Registers a passkey in the session. */
    async register(session: string, name?: string, lies: Lies = {}): Promise<{ answer: Answer; passkey: Passkey }> {
      const { options, cookie } = await begin('register', session);
      const { passkey, response } = authenticator.register(options, lies);
      return { passkey, answer: await call('passkey/verify-registration', cookie, { response, name }) };
    },
    async signIn(passkey: Passkey, lies: Lies = {}): Promise<Answer> {
      const { options, cookie } = await begin('authenticate');
      return call('passkey/verify-authentication', cookie, { response: authenticator.sign(passkey, options, lies) });
    },
    /** Proves the presence of the person of the session. */
    async prove(passkey: Passkey, session: string, lies: Lies = {}): Promise<Answer> {
      const { options, cookie } = await begin('authenticate', session);
      return call('reauthenticate', cookie, { passkey: authenticator.sign(passkey, options, lies) });
    },
  };
}
export type PasskeyClient = ReturnType<typeof createPasskeyClient>;
