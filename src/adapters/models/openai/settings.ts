/** One OpenAI-compatible server. Times in milliseconds. */
export interface OpenAiSettings {
  /** Sent to `baseUrl` only; never part of a fault, a label or a usage record. */
  readonly apiKey: string;
  /** Up to and including `/v1`; the vendor's own address when absent. */
  readonly baseUrl?: string;
  readonly visionModel: string;
  /** Model of the nodes that chat; `visionModel` when absent. */
  readonly chatModel?: string;
  readonly embeddingModel: string;
  /** Asked of the server and checked. When absent: what the model is known for, or else 1,536; not asked, still checked. */
  readonly embeddingDimensions?: number;
  /** Limit of each attempt, from the request to the end of the body. */
  readonly timeoutMs: number;
  /** Further attempts after rate limits, server errors, lost connections and timeouts. */
  readonly maxRetries: number;
  /** First pause between attempts, doubled each time up to 8 s; `Retry-After` goes before it. Default 500. */
  readonly retryDelayMs?: number;
}

/** Address used when none is set: said here, so that no other variable of the environment decides it. */
export const vendorBaseUrl = 'https://api.openai.com/v1';
