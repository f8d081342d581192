/** One OpenAI-compatible server. Times in milliseconds. */
export interface OpenAiSettings {
  /** Sent to `baseUrl` only; never part of an error, a label or a usage record. */
  readonly apiKey: string;
  /** Address up to and including `/v1`. Default: that of OpenAI. */
  readonly baseUrl?: string;
  readonly visionModel: string;
  /** Model of the nodes that chat. Default: `visionModel`. */
  readonly chatModel?: string;
  readonly embeddingModel: string;
  /** Requested from the server and checked. When absent: those of a known model, else 1,536; not requested, still checked. */
  readonly embeddingDimensions?: number;
  /** Timeout of each attempt, from the request to the end of the body. */
  readonly timeoutMs: number;
  /** Retries after rate limits, server errors, lost connections and timeouts. */
  readonly maxRetries: number;
  /** First pause between attempts, doubled each time up to 8 s. `Retry-After` has precedence. Default: 500. */
  readonly retryDelayMs?: number;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

/** Default address. It is set here because the library would read it from its own environment variable. */
export const vendorBaseUrl = 'https://api.openai.com/v1';

/** A redirect would take documents to an address that nobody configured. */
export const withoutRedirects = { redirect: 'manual' } as const;
