import type { ASTNode } from '@marcbachmann/cel-js';
import { AppError } from '#src/domain/app-error.ts';
import { expressionLimits } from './limits.ts';
import { isHidden } from './values.ts';

/** Methods that declare a variable with their first argument. */
const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Budget of characters and items left to the current evaluation. */
export interface Made {
  left: number;
}

/** Members of the library's nodes that its types do not declare; they are stable because the version is pinned. */
interface Inner {
  check(checker: { readonly dynType: unknown }, ...rest: unknown[]): unknown;
  handle?: (...args: readonly unknown[]) => unknown;
}

type Visit = (node: ASTNode, place: { readonly variables: ReadonlySet<string>; readonly depth: number }) => void;

/** Visits every node in source order; `depth` counts the surrounding comprehensions. */
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
    // The stack reverses the order of its entries.
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

/** Root identifiers, without duplicates. */
export function namesIn(root: ASTNode): string[] {
  const names = new Set<string>();
  walk(root, (node, { variables }) => {
    if (node.op === 'id' && !variables.has(node.args)) names.add(node.args);
  });
  return [...names];
}

/** True if the run time can grow faster than the source: for comprehensions and regular expressions. */
export function isExpensive(root: ASTNode): boolean {
  let found = false;
  walk(root, (node, { depth }) => {
    if (depth > 0 || (node.op === 'rcall' && node.args[0] === 'matches')) found = true;
  });
  return found;
}

/**
 * Runs before the type check. Rejects deep nesting and names that lead to prototypes. Allows channels with the name of a CEL type, and
 * different types in both branches of `a ? b : c`. Throws `workflow.invalid`.
 */
export function prepare(root: ASTNode): void {
  walk(root, (node, { variables, depth }) => {
    if (depth > expressionLimits.comprehensionDepth) {
      throw new AppError(
        'workflow.invalid',
        `map, filter, all and exists can be nested at most ${expressionLimits.comprehensionDepth} deep.`,
      );
    }
    const name = namedBy(node);
    if (name !== undefined && isHidden(name))
      throw new AppError('workflow.invalid', `The name "${name}" is not allowed in an expression. Use another name.`);
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

/** Makes the type of a node `dyn`; `checked` still type-checks its children. */
function loosen(node: ASTNode, checked: boolean): void {
  const inner = node as unknown as Inner;
  const check = inner.check.bind(node);
  inner.check = (checker, ...rest) => {
    if (checked) check(checker, ...rest);
    return checker.dynType;
  };
}

/** Runs after the type check. Charges additions and calls for the texts and lists they make, and stops them when `made` is used up. */
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

/** Checks the size before `join` builds the text: it can make a huge text from a small list. */
function payForJoin(args: unknown): void {
  const [list, separator] = Array.isArray(args) ? (args as unknown[]) : [];
  if (!Array.isArray(list)) return;
  const between = typeof separator === 'string' ? separator.length : 0;
  let length = 0;
  for (const item of list as unknown[]) length += (typeof item === 'string' ? item.length : 0) + between;
  if (length > expressionLimits.text) throw tooLarge();
}

function tooLarge(): AppError {
  return new AppError('expression.failed', 'The expression builds a text or list that is too long. Simplify it.');
}
