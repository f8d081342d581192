export interface RequestSample {
  readonly service: string;
  readonly method: string;
  /** The pattern, never the path: ids would make one series a document. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Counters and histograms of this process, told in Prometheus text. */
export interface Metrics {
  request(sample: RequestSample): void;
  run(status: string, seconds: number): void;
  /** One leg of one search; `outcome` is found, empty, failed or late. */
  searchLeg(leg: string, outcome: string, seconds: number): void;
  text(): Promise<string>;
}
