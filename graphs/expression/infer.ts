import type { ASTNode } from '@marcbachmann/cel-js';
import {
  anyType,
  booleanType,
  fieldOf,
  itemsOfType,
  listOf,
  membersOf,
  nullType,
  numberType,
  stringType,
  unionOf,
  withoutNull,
  type FieldType,
  type ValueType,
} from '#graphs/typing/value-type.ts';

/** Types of the channels and map items by name; undefined for a name that is not known. */
export type TypeScope = (name: string) => ValueType | undefined;

/** A field that the type of its value does not have, or a text that is none of the options it is compared with. */
export interface TypeFinding {
  readonly kind: 'field' | 'option';
  /** The field, or the text. */
  readonly name: string;
  /** Source of the value: `fields.total` in `fields.total.amout`. */
  readonly of: string;
  readonly type: ValueType;
  /** Fields or options that there are. */
  readonly known: readonly string[];
  /** Channel or item that the value is read from; null for computed values. */
  readonly root: string | null;
  /** `no`: the schema rules the field out. `unlikely`: it lists others only. */
  readonly found: 'no' | 'unlikely';
  /** True if every evaluation of the expression reads the field: it then fails. */
  readonly always: boolean;
  /** Index of the name in the source of the expression, in UTF-16 code units. */
  readonly start: number;
}

interface Walk {
  readonly source: string;
  readonly scope: TypeScope;
  readonly always: boolean;
  readonly findings: TypeFinding[];
}

type Node<Op extends ASTNode['op']> = Extract<ASTNode, { op: Op }>;

/** Type of the value of an expression, with everything that its types rule out. Source: docs/decisions/0168. */
export function inferType(
  root: ASTNode,
  source: string,
  scope: TypeScope,
): { type: ValueType; findings: TypeFinding[] } {
  const findings: TypeFinding[] = [];
  const type = typeOf(root, { source, scope, always: true, findings });
  return { type, findings };
}

function typeOf(node: ASTNode, walk: Walk): ValueType {
  switch (node.op) {
    case 'value':
      return typeOfLiteral(node.args);
    case 'id':
      return walk.scope(node.args) ?? anyType;
    case '.':
    case '.?':
      return read(node, node.args[0], node.args[1], walk);
    case '[]':
    case '[?]':
      return readAt(node, walk);
    case 'call':
      return typeOfCall(node, walk);
    case 'rcall':
      return typeOfMethod(node, walk);
    case 'list':
      return listOf(unionOf(node.args.map((item) => typeOf(item, walk))));
    case 'map':
      return typeOfMap(node, walk);
    case '?:': {
      typeOf(node.args[0], walk);
      return unionOf([node.args[1], node.args[2]].map((branch) => typeOf(branch, perhaps(walk))));
    }
    case '||':
    case '&&':
      // CEL evaluates both sides if the first one fails, and its error counts only if the second does not decide.
      for (const side of node.args) typeOf(side, perhaps(walk));
      return booleanType;
    case '!_':
      typeOf(node.args, walk);
      return booleanType;
    case '-_':
      typeOf(node.args, walk);
      return numberType;
    default:
      return typeOfBinary(node, walk);
  }
}

const perhaps = (walk: Walk): Walk => ({ ...walk, always: false });

function typeOfLiteral(value: unknown): ValueType {
  if (typeof value === 'string') return { is: 'string', values: [value] };
  if (typeof value === 'bigint') return { is: 'integer' };
  if (typeof value === 'number') return numberType;
  if (typeof value === 'boolean') return booleanType;
  return value === null ? nullType : anyType;
}

function textOf({ range }: ASTNode, { source }: Walk): string {
  return source.slice(range.start, range.end);
}

function rootOf(node: ASTNode): string | null {
  if (node.op === 'id') return node.args;
  return node.op === '.' || node.op === '[]' ? rootOf(node.args[0]) : null;
}

function read(node: ASTNode, value: ASTNode, name: string, walk: Walk): ValueType {
  const type = typeOf(value, walk);
  const field = fieldOf(type, name);
  if (field.found === 'yes') return field.type;
  const at = walk.source.slice(node.range.start, node.range.end).lastIndexOf(name);
  walk.findings.push({
    kind: 'field',
    name,
    of: textOf(value, walk),
    type,
    known: field.known,
    root: rootOf(value),
    found: field.found,
    always: walk.always,
    start: at === -1 ? -1 : node.range.start + at,
  });
  return anyType;
}

function readAt(node: Node<'[]'> | Node<'[?]'>, walk: Walk): ValueType {
  const [value, key] = node.args;
  const name = key.op === 'value' && typeof key.args === 'string' ? key.args : null;
  const isObject = membersOf(withoutNull(typeOf(value, silent(walk)))).every(({ is }) => is === 'object');
  if (isObject && name !== null) return read(node, value, name, walk);
  const type = typeOf(value, walk);
  typeOf(key, walk);
  return name !== null ? anyType : (itemsOfType(type) ?? anyType);
}

const silent = (walk: Walk): Walk => ({ ...walk, findings: [] });

function typeOfMap({ args }: Node<'map'>, walk: Walk): ValueType {
  const fields = new Map<string, FieldType>();
  let isKnown = true;
  for (const [key, value] of args) {
    const type = typeOf(value, walk);
    typeOf(key, walk);
    if (key.op === 'value' && typeof key.args === 'string') fields.set(key.args, { type, optional: false });
    else isKnown = false;
  }
  return { is: 'object', fields, rest: isKnown && fields.size > 0 ? 'none' : anyType };
}

function typeOfBinary(
  node: Exclude<
    ASTNode,
    Node<
      'value' | 'id' | '.' | '.?' | '[]' | '[?]' | 'call' | 'rcall' | 'list' | 'map' | '?:' | '||' | '&&' | '!_' | '-_'
    >
  >,
  walk: Walk,
): ValueType {
  const [left, right] = node.args;
  const types = [typeOf(left, walk), typeOf(right, walk)] as const;
  if (node.op === '==' || node.op === '!=') {
    compared(left, types[0], right, walk);
    compared(right, types[1], left, walk);
  }
  if (node.op === 'in' && right.op === 'list') for (const option of right.args) compared(left, types[0], option, walk);
  if (!['+', '-', '*', '/', '%'].includes(node.op)) return booleanType;
  const isAll = (...kinds: readonly string[]): boolean => types.every(({ is }) => kinds.includes(is));
  if (isAll('integer')) return { is: 'integer' };
  if (isAll('number', 'integer')) return numberType;
  return node.op === '+' && isAll('string') ? stringType : anyType;
}

/** Reports a text that `value` can never equal, because its options are known. */
function compared(value: ASTNode, type: ValueType, other: ASTNode, walk: Walk): void {
  if (other.op !== 'value' || typeof other.args !== 'string' || value.op === 'value') return;
  const text = other.args;
  const options: string[] = [];
  for (const member of membersOf(withoutNull(type))) {
    if (member.is === 'any' || (member.is === 'string' && member.values === undefined)) return;
    if (member.is === 'string') options.push(...(member.values ?? []));
  }
  if (options.length === 0 || options.includes(text)) return;
  walk.findings.push({
    kind: 'option',
    name: text,
    of: textOf(value, walk),
    type,
    known: [...new Set(options)],
    root: rootOf(value),
    found: 'no',
    always: false,
    start: walk.source.indexOf(text, other.range.start),
  });
}

const results: Readonly<Record<string, ValueType>> = {
  size: { is: 'integer' },
  int: { is: 'integer' },
  round: numberType,
  double: numberType,
  sum: numberType,
  number: unionOf([numberType, nullType]),
  string: stringType,
  json: stringType,
  lower: stringType,
  upper: stringType,
  lowerAscii: stringType,
  upperAscii: stringType,
  trim: stringType,
  join: stringType,
  replace: stringType,
  substring: stringType,
  split: listOf(stringType),
  range: listOf({ is: 'integer' }),
  startsWith: booleanType,
  endsWith: booleanType,
  contains: booleanType,
  matches: booleanType,
};

const resultOf = (name: string): ValueType => (Object.hasOwn(results, name) ? (results[name] ?? anyType) : anyType);

function typeOfCall({ args: [name, args] }: Node<'call'>, walk: Walk): ValueType {
  const isTolerant = name === 'default' || name === 'has';
  const [first, ...others] = args.map((arg) => typeOf(arg, isTolerant ? perhaps(walk) : walk));
  if (name === 'has') return booleanType;
  if (name === 'default' && first !== undefined) return unionOf([withoutNull(first), ...others]);
  return resultOf(name);
}

const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

function typeOfMethod({ args: [method, receiver, args] }: Node<'rcall'>, walk: Walk): ValueType {
  const [first] = args;
  if (method === 'bind' && receiver.op === 'id' && receiver.args === 'cel' && args.length === 3 && first?.op === 'id')
    return bound(first.args, args, walk);
  const type = typeOf(receiver, walk);
  if (!comprehensions.has(method) || first?.op !== 'id' || args.length < 2) {
    for (const arg of args) typeOf(arg, walk);
    return resultOf(method);
  }
  // Comprehensions over an object run over its keys; a list can be empty, so nothing inside is sure to be read.
  const isList = membersOf(withoutNull(type)).every(({ is }) => is === 'list');
  const item = isList ? (itemsOfType(type) ?? anyType) : anyType;
  const inner = perhaps(within(walk, first.args, item));
  const bodies = args.slice(1).map((arg) => typeOf(arg, inner));
  if (method === 'filter') return isList ? listOf(item) : anyType;
  return method === 'map' ? listOf(bodies.at(-1) ?? anyType) : booleanType;
}

function bound(name: string, args: readonly ASTNode[], walk: Walk): ValueType {
  const [, value, body] = args;
  if (value === undefined || body === undefined) return anyType;
  const type = typeOf(value, walk);
  return typeOf(body, perhaps(within(walk, name, type)));
}

function within(walk: Walk, name: string, type: ValueType): Walk {
  return { ...walk, scope: (asked) => (asked === name ? type : walk.scope(asked)) };
}
