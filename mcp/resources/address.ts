/** A parsed `inkgraph://` URI. */
export type Named =
  | { readonly kind: 'workflow' | 'run' | 'document' | 'text' | 'image' | 'experiment'; readonly id: string }
  | { readonly kind: 'version'; readonly id: string; readonly version: number }
  | { readonly kind: 'node-types' | 'openapi' };
export type ResourceKind = Named['kind'];

const shapes: readonly (readonly [RegExp, (id: string, rest: string) => Named])[] = [
  [/^inkgraph:\/\/workflows\/([\w-]{1,100})$/, (id) => ({ kind: 'workflow', id })],
  [
    /^inkgraph:\/\/workflows\/([\w-]{1,100})\/versions\/([1-9]\d{0,8})$/,
    (id, rest) => ({ kind: 'version', id, version: Number(rest) }),
  ],
  [/^inkgraph:\/\/runs\/([\w-]{1,100})$/, (id) => ({ kind: 'run', id })],
  [/^inkgraph:\/\/experiments\/([\w-]{1,100})$/, (id) => ({ kind: 'experiment', id })],
  [/^inkgraph:\/\/documents\/([\w-]{1,100})$/, (id) => ({ kind: 'document', id })],
  [/^inkgraph:\/\/documents\/([\w-]{1,100})\/text$/, (id) => ({ kind: 'text', id })],
  [/^inkgraph:\/\/documents\/([\w-]{1,100})\/image$/, (id) => ({ kind: 'image', id })],
  [/^inkgraph:\/\/node-types$/, () => ({ kind: 'node-types' })],
  [/^inkgraph:\/\/openapi$/, () => ({ kind: 'openapi' })],
];

/** Parses a URI; null for one of another form. */
export function namedBy(uri: string): Named | null {
  for (const [shape, read] of shapes) {
    const found = shape.exec(uri);
    if (found !== null) return read(found[1] ?? '', found[2] ?? '');
  }
  return null;
}

export function addressOf(named: Named): string {
  switch (named.kind) {
    case 'workflow':
    case 'run':
    case 'document':
    case 'experiment':
      return `inkgraph://${named.kind}s/${named.id}`;
    case 'version':
      return `inkgraph://workflows/${named.id}/versions/${named.version}`;
    case 'text':
    case 'image':
      return `inkgraph://documents/${named.id}/${named.kind}`;
    case 'node-types':
    case 'openapi':
      return `inkgraph://${named.kind}`;
  }
}
