import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

/** `url` is `new URL('./worker.ts', import.meta.url)`: the way a worker's file is named. */
export type ImportKind = 'static' | 'type' | 'dynamic' | 'url';

export interface Import {
  readonly specifier: string;
  readonly kind: ImportKind;
  readonly line: number;
}

export interface Source {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Lines of `export default`, of `export * from`, of uses of `console`, of a module-level `let` or `var`. */
  readonly defaultExports: readonly number[];
  readonly exportAlls: readonly number[];
  readonly consoles: readonly number[];
  readonly moduleVariables: readonly number[];
  /** Nothing but re-exports. */
  readonly barrel: boolean;
  /** First arguments of calls to `verifies`: the literal, or null when it is none. */
  readonly verified: readonly { readonly id: string | null; readonly line: number }[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}

function children(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

function literal(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === 'Literal' && typeof value['value'] === 'string') return value['value'];
  if (value.type !== 'TemplateLiteral') return null;
  const quasis = value['quasis'] as { value: { cooked: string } }[];
  return quasis.length === 1 ? (quasis[0]?.value.cooked ?? null) : null;
}

function identifier(value: unknown): string | null {
  return isNode(value) && value.type === 'Identifier' ? (value['name'] as string) : null;
}

/** `import type`, or an import whose every name is marked `type`. */
function onlyTypes(node: Node): boolean {
  if (node['importKind'] === 'type' || node['exportKind'] === 'type') return true;
  const specifiers = (node['specifiers'] ?? []) as Node[];
  return (
    specifiers.length > 0 && specifiers.every((one) => one['importKind'] === 'type' || one['exportKind'] === 'type')
  );
}

function isImportMeta(value: unknown, property: string): boolean {
  return (
    isNode(value) &&
    value.type === 'MemberExpression' &&
    isNode(value['object']) &&
    value['object'].type === 'MetaProperty' &&
    identifier(value['property']) === property
  );
}

function isResolver(callee: unknown): boolean {
  if (identifier(callee) === 'require' || isImportMeta(callee, 'resolve')) return true;
  return (
    isNode(callee) &&
    callee.type === 'MemberExpression' &&
    identifier(callee['object']) === 'require' &&
    identifier(callee['property']) === 'resolve'
  );
}

/** `new URL('worker.ts', import.meta.url)`: relative with or without a leading dot. Addresses of data are none. */
function codeAddress(node: Node): { specifier: string; kind: ImportKind } | null {
  const [first, second] = node['arguments'] as unknown[];
  const address = literal(first);
  if (address === null || identifier(node['callee']) !== 'URL' || !isImportMeta(second, 'url')) return null;
  // A URL takes `#` for a fragment, so this names the importing file itself: the guard of directions refuses it.
  if (address.startsWith('#')) return { specifier: address, kind: 'url' };
  if (!/^[^:#]+\.[mc]?[jt]s$/.test(address)) return null;
  return { specifier: address.startsWith('.') ? address : `./${address}`, kind: 'url' };
}

function importOf(node: Node): { specifier: string; kind: ImportKind } | null {
  const source = literal(node['source']);
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return source === null ? null : { specifier: source, kind: onlyTypes(node) ? 'type' : 'static' };
    case 'ImportExpression':
      return source === null ? null : { specifier: source, kind: 'dynamic' };
    case 'TSImportType':
      return source === null ? null : { specifier: source, kind: 'type' };
    case 'CallExpression': {
      const first = literal((node['arguments'] as unknown[])[0]);
      return first !== null && isResolver(node['callee']) ? { specifier: first, kind: 'dynamic' } : null;
    }
    case 'NewExpression':
      return codeAddress(node);
    default:
      return null;
  }
}

function isReExport(node: Node): boolean {
  return (
    node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && literal(node['source']) !== null)
  );
}

function isVariable(node: Node): boolean {
  const declaration = node.type === 'ExportNamedDeclaration' ? node['declaration'] : node;
  return (
    isNode(declaration) &&
    declaration.type === 'VariableDeclaration' &&
    (declaration['kind'] === 'let' || declaration['kind'] === 'var') &&
    declaration['declare'] !== true
  );
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of children(node)) walk(child, visit);
}

/** Facts about one file, for the guards. Throws with the path when the text does not parse. */
export function readSource(path: string, text: string): Source {
  let program: Node;
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only parser that vitest hands on
    program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  } catch (cause) {
    throw new Error(`${path} does not parse`, { cause });
  }
  const lineOf = (node: Node): number => text.slice(0, node.start).split('\n').length;
  const body = program['body'] as Node[];
  const imports: Import[] = [];
  const consoles: number[] = [];
  const verified: { id: string | null; line: number }[] = [];
  walk(program, (node) => {
    const found = importOf(node);
    if (found !== null) imports.push({ ...found, line: lineOf(node) });
    if (node.type === 'MemberExpression' && identifier(node['object']) === 'console') consoles.push(lineOf(node));
    if (node.type === 'CallExpression' && identifier(node['callee']) === 'verifies') {
      verified.push({ id: literal((node['arguments'] as unknown[])[0]), line: lineOf(node) });
    }
  });
  return {
    path,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports,
    consoles,
    verified,
    defaultExports: body.filter((node) => node.type === 'ExportDefaultDeclaration').map(lineOf),
    exportAlls: body.filter((node) => node.type === 'ExportAllDeclaration').map(lineOf),
    moduleVariables: body.filter(isVariable).map(lineOf),
    barrel: body.some(isReExport) && body.every((node) => isReExport(node) || node.type === 'ImportDeclaration'),
  };
}

const passedOver = /(^|\/)(node_modules|coverage|dist|docs|bench-results|data(-[^/]*)?|\.[^/]+)$/;

/** Every TypeScript file of the repository under `root`, parsed, sorted by path. */
export function readSources(root: string): Source[] {
  const paths: string[] = [];
  const folders = [''];
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (passedOver.test(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (/\.(ts|tsx|mts|cts)$/.test(path)) paths.push(path);
    }
  }
  return paths.toSorted().map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
}
