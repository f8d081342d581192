import type { ASTNode } from '@marcbachmann/cel-js';
import { AppError } from '#src/domain/app-error.ts';
import { expressionLimits } from './limits.ts';
import { isHidden } from './values.ts';

/** Methods whose first argument names a variable of the others. */
const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Characters and items that the evaluation under way may still make. */
export interface Made {
  left: number;
}

/** What the library's nodes have besides their types; the version is pinned. */
interface Inner {
  check(checker: { readonly dynType: unknown }, ...rest: unknown[]): unknown;
  handle?: (...args: readonly unknown[]) => unknown;
}

type Visit = (node: ASTNode, place: { readonly variables: ReadonlySet<string>; readonly depth: number }) => void;

/** Every node as it is written; `depth` counts the comprehensions around it. */
function walk(root: ASTNode, visit: Visit): void {
  const open = [{ node: root, variables: new Set<string>() as ReadonlySet<string>, depth: 0 }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { node, variables, depth } = here;
    visit(node, here);
    const push = (child: ASTNode, more?: string): void => {
      const inner =
        more === undefined ? { variables, depth } : { variables: new Set([...variables, more]), depth: depth + 1 };
      open.push({ node: child, ...inner });
    };
    const variable = variableOf(node);
    // Pushed in reverse, so that they are visited in order.
    if (variable && node.op === 'rcall') {
      const [method, receiver, args] = node.args;
      const scoped = method === 'bind' ? args.slice(2) : args.slice(1);
      for (const arg of scoped.toReversed()) push(arg, variable);
      if (method === 'bind' && args[1]) push(args[1]);
      if (method !== 'bind') push(receiver);
    } else for (const child of childrenOf(node).toReversed()) push(child);
  }
}

function variableOf(node: ASTNode): string | undefined {
  if (node.op !== 'rcall') return undefined;
  const [method, receiver, args] = node.args;
  const [first] = args;
  if (first?.op !== 'id' || args.length < 2) return undefined;
  const isBind = method === 'bind' && args.length === 3 && receiver.op === 'id' && receiver.args === 'cel';
  return comprehensions.has(method) || isBind ? first.args : undefined;
}

function childrenOf(node: ASTNode): ASTNode[] {
  if (node.op === 'value' || node.op === 'id') return [];
  const parts: unknown[] = [node.args];
  return parts.flat(3).filter((part): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part);
}

/** Root identifiers, each once. */
export function namesIn(root: ASTNode): string[] {
  const names = new Set<string>();
  walk(root, (node, { variables }) => {
    if (node.op === 'id' && !variables.has(node.args)) names.add(node.args);
  });
  return [...names];
}

/** Whether its time can grow faster than its source: a comprehension, or a regular expression. */
export function isExpensive(root: ASTNode): boolean {
  let found = false;
  walk(root, (node, { depth }) => {
    if (depth > 0 || (node.op === 'rcall' && node.args[0] === 'matches')) found = true;
  });
  return found;
}

/**
 * Before the check of types: refuses what is nested too deep and words that lead to prototypes; lets every name be a channel, even one
 * that CEL has for a type; lets the two ways of `a ? b : c` differ in type. Throws `workflow.invalid`.
 */
export function prepare(root: ASTNode): void {
  walk(root, (node, { variables, depth }) => {
    if (depth > expressionLimits.comprehensionDepth) {
      throw new AppError(
        'workflow.invalid',
        `map, filter, all and exists go at most ${expressionLimits.comprehensionDepth} deep.`,
      );
    }
    const name = namedBy(node);
    if (name !== undefined && isHidden(name))
      throw new AppError('workflow.invalid', `"${name}" cannot be used in an expression.`);
    if (node.op === 'id' && !variables.has(node.args)) loosen(node, false);
    if (node.op === '?:') loosen(node.args[2], true);
  });
}

function namedBy(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op === '.') return node.args[1];
  if (node.op === 'value') return typeof node.args === 'string' ? node.args : undefined;
  return undefined;
}

/** Makes the type of a node `dyn`; `checked` keeps the check of what is inside. */
function loosen(node: ASTNode, checked: boolean): void {
  const inner = node as unknown as Inner;
  const check = inner.check.bind(node);
  inner.check = (checker, ...rest) => {
    if (checked) check(checker, ...rest);
    return checker.dynType;
  };
}

/** After the check of types: sums and calls that make texts or lists pay for them out of `made`, and stop when they are too large. */
export function bound(root: ASTNode, made: Made): void {
  walk(root, (node) => {
    const inner = node as unknown as Inner;
    if ((node.op !== '+' && node.op !== 'call' && node.op !== 'rcall') || !inner.handle) return;
    const handle = inner.handle;
    const isJoin = node.op !== '+' && node.args[0] === 'join';
    inner.handle = (...args) => {
      if (isJoin) payForJoin(args[0]);
      const result = handle(...args);
      pay(result, made);
      return result;
    };
  });
}

function pay(value: unknown, made: Made): void {
  const { text, items } = expressionLimits;
  const size = typeof value === 'string' || Array.isArray(value) ? value.length : 0;
  made.left -= size;
  if (size > (typeof value === 'string' ? text : items) || made.left < 0) throw tooLarge();
}

/** The one function that makes much out of little at once. */
function payForJoin(args: unknown): void {
  const [list, separator] = Array.isArray(args) ? (args as unknown[]) : [];
  if (!Array.isArray(list)) return;
  const between = typeof separator === 'string' ? separator.length : 0;
  let length = 0;
  for (const item of list as unknown[]) length += (typeof item === 'string' ? item.length : 0) + between;
  if (length > expressionLimits.text) throw tooLarge();
}

function tooLarge(): AppError {
  return new AppError('expression.failed', 'The expression makes too long a text or list; make it simpler.');
}
