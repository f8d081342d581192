export interface RequestSample {
  readonly service: string;
  readonly method: string;
  /** The pattern, never the path: ids would make one series a document. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Counters and histograms of this process, in the Prometheus text format. */
export interface Metrics {
  request(sample: RequestSample): void;
  run(status: string, seconds: number): void;
  /** Outcome of one retriever in one search: `outcome` is found, empty, failed or late. */
  searchRetriever(retriever: string, outcome: string, seconds: number): void;
  text(): Promise<string>;
}
