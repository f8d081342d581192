/** Facts of the installation that a check needs, as plain data. Source: docs/decisions/0167. */
export interface InstallationFacts {
  readonly chatModel: string | null;
  readonly segmenter: string | null;
  readonly hosts: readonly string[];
  /** Empty if the graph names no language. */
  readonly languages: readonly string[];
  /** Reasons for the addresses in the graph that cannot be called, by the text of the address. */
  readonly refused: ReadonlyMap<string, string>;
}
