export interface RequestSample {
  readonly service: string;
  readonly method: string;
  /** Pattern of the route, never the path: ids would create one series for each document. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Counters and histograms of this process, and of those that share its work on this machine. */
export interface Metrics {
  request(sample: RequestSample): void;
  run(status: string, seconds: number): void;
  /** Records one retriever of one search. `outcome` is found, empty, failed or late. */
  searchRetriever(retriever: string, outcome: string, seconds: number): void;
  /** Records the wait of an organization for a member of a pool, such as a process that reads PDFs. */
  poolWait(pool: string, organizationId: string, seconds: number): void;
  /** Counts what regular work removed, by the name of the work. */
  removed(chore: string, count: number): void;
  /** Prometheus text. */
  text(): Promise<string>;
  /** Metrics of this process alone, to be added to those of another one. */
  json(): Promise<readonly object[]>;
}
