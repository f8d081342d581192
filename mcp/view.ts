/** What a connection may be narrowed to by `?toolsets=`. `core` is always there. Source: mcp.md "Endpoint". */
export const toolsets = ['core', 'workflows', 'runs', 'documents', 'experiments', 'keys'] as const;
export type Toolset = (typeof toolsets)[number];

/** What the address of a connection narrows it to. */
export interface McpView {
  /** null: all. */
  readonly toolsets: ReadonlySet<Toolset> | null;
  readonly readOnly: boolean;
}

export const wholeView: McpView = { toolsets: null, readOnly: false };
