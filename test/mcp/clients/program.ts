import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { fieldsOf, withFields, type ConsentBrowser, type Query } from '#test/oauth/consent-form.ts';

/** Redirect address of a program on a user's computer; nothing listens there, the test passes the response on. */
const callback = 'http://127.0.0.1:4712/callback';

type Known = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>;
type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>;

/** A program that keeps in memory what the OAuth client of an SDK wants kept. Both generations take it. */
export class Program {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly clientMetadata;
  /** Requests for consent that a browser was to open. */
  readonly asked: URL[] = [];
  /** `METHOD path status` of all requests, the MCP endpoint among them. */
  readonly sent: string[] = [];
  /** Every set of tokens that it got. */
  readonly got: Tokens[] = [];
  known: Known | undefined;
  #tokens: Tokens | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  /** With the address of a metadata document, that is the client's id. */
  constructor(metadataUrl?: string, redirectUrl = callback) {
    if (metadataUrl !== undefined) this.clientMetadataUrl = metadataUrl;
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: 'Desk Agent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    this.sent.push(`${init?.method ?? 'GET'} ${new URL(url).pathname} ${response.status}`);
    return response;
  };

  /** Tokens that it holds now. */
  get held(): Tokens {
    if (this.#tokens === undefined) throw new Error('it has no tokens');
    return this.#tokens;
  }

  state(): string {
    return `state ${this.asked.length}`;
  }
  clientInformation(): Known | undefined {
    return this.known;
  }
  saveClientInformation(known: Known): void {
    this.known = known;
  }
  tokens(): Tokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: Tokens): void {
    this.got.push(tokens);
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked.push(url);
  }
  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (what === 'all' || what === 'tokens') this.#tokens = undefined;
    if (what === 'all' || what === 'client') this.known = undefined;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
}

/** The person allows what the page shows, or what is chosen there instead; the answer is what the program's address is called with. */
export async function allow(
  person: ConsentBrowser,
  asked: URL | undefined,
  choice: Query = {},
): Promise<URLSearchParams> {
  if (asked === undefined) throw new Error('nobody asked for consent');
  const page = await person.get(`${asked.pathname}${asked.search}`);
  const { landed } = await person.post(withFields(fieldsOf(page.html, oauthPaths.decide), { act: 'allow', ...choice }));
  if (landed?.at !== callback) throw new Error(`consent led to ${landed?.at}`);
  return new URLSearchParams(landed.said);
}
