import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

export interface IssuerServer extends AsyncDisposable {
  readonly issuer: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Response of the path `asked` from now on; null: none, the connection breaks. */
  answers: Map<string, { readonly status: number; readonly body: unknown } | null>;
  /** A new key, published from now on. */
  addKey(alg: string, kid: string): Promise<void>;
  removeKey(kid: string): void;
  /** A token with the key of this id. */
  sign(claims: JWTPayload, header?: { kid?: string; alg?: string; typ?: string }): Promise<string>;
}

/** An authorization server as far as a resource server sees it: metadata, keys, and tokens of these keys. */
export async function tokenIssuer(path = ''): Promise<IssuerServer> {
  const keys = new Map<string, { alg: string; privateKey: CryptoKey; jwk: object }>();
  const asked: string[] = [];
  const answers: IssuerServer['answers'] = new Map();
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const set = answers.get(url);
    if (set === null) return void request.socket.destroy();
    const usual: Record<string, object> = {
      [`/.well-known/oauth-authorization-server${path}`]: { issuer, jwks_uri: `${origin}/keys` },
      '/keys': { keys: [...keys.values()].map(({ jwk }) => jwk) },
    };
    const body = set?.body ?? usual[url];
    response.writeHead(set?.status ?? (body === undefined ? 404 : 200), { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}${path}`;
  const addKey = async (alg: string, kid: string): Promise<void> => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    keys.set(kid, { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, kid, use: 'sig' } });
  };
  await addKey('ES256', 'first');
  const made = new Map(keys);
  return {
    issuer,
    asked,
    answers,
    async addKey(alg, kid) {
      await addKey(alg, kid);
      made.set(kid, keys.get(kid) as never);
    },
    removeKey: (kid) => void keys.delete(kid),
    async sign(claims, { kid = 'first', ...header } = {}) {
      const key = made.get(kid);
      if (key === undefined) throw new Error(`no key ${kid}`);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: key.alg, kid, typ: 'at+jwt', ...header })
        .sign(key.privateKey);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
