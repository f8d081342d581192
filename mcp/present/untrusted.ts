import { neutralize } from '#mcp/present/neutralize.ts';

/**
 * Text from scans and models, kept apart from this service's own text. An agent sees it only between `<untrusted-document id="...">` tags,
 * never inside the JSON beside it.
 */
export interface UntrustedBlock {
  readonly id: string;
  readonly fields: readonly UntrustedField[];
}
export interface UntrustedField {
  /** Path relative to the document: `title`, `steps.0.outputPreview`. */
  readonly path: string;
  readonly text: string;
}

/** Names of untrusted fields below a document. The `message` of an error may quote a step's input. */
const untrustedName = /(^(description|title|text|message|outputPreview|filename)|Text)$/;
const alwaysUntrusted = /Text$/;
/**
 * Errors whose message has words of this service, the names that a workflow's author chose, and numbers. Messages of other errors may quote
 * a document, a model or another service.
 */
const ownMessages: ReadonlySet<string> = new Set([
  'document.not_found',
  'experiment.effect_refused',
  'experiment.unanswered',
  'ocr.timeout',
  'outbound.refused',
  'record.conflict',
  'record_type.not_found',
  'run.canceled',
  'run.compute_exceeded',
  'run.needs_input',
  'run.poisoned',
  'run.step_limit',
  'run.step_timeout',
  'run.timed_out',
  'run.worker_lost',
  'secret.unbound',
  'secret.unknown',
  'service.internal',
  'service.unavailable',
  'upload.object_missing',
  'workflow.invalid',
  'workflow.not_found',
  'workflow.version_not_found',
]);

/** Values that nodes derived from the document. */
const untrustedValue = /^(outputs|data|cells|tags)$/;
/** Values of several documents. */
const untrustedGroups = 'groups';

/** Place of a value in the output. Paths are written out for the few places that need one. */
interface Position {
  /** Id of the document that the value is about. */
  readonly id: string | null;
  /** null: the output itself. */
  readonly above: Position | null;
  readonly name: string;
  readonly isItem: boolean;
  /** Paths of fields begin below it. */
  readonly isStart: boolean;
}

const root: Position = { id: null, above: null, name: '', isItem: false, isStart: true };

const below = (above: Position, name: string, isItem: boolean): Position => ({
  id: above.id,
  above,
  name,
  isItem,
  isStart: false,
});

/** Path within the document. */
function pathOf(position: Position): string {
  const names: string[] = [];
  for (let at: Position | null = position; at !== null && !at.isStart; at = at.above) names.push(at.name);
  return names.toReversed().join('.');
}

/** Path from the root, as a JSON Pointer with * for the places of lists. */
function pointerOf(position: Position): string {
  let pointer = '';
  for (let at = position; at.above !== null; at = at.above)
    pointer = `/${at.isItem ? '*' : at.name.replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`;
  return pointer;
}

/** Sets a member. `__proto__` is a name like any other. */
function put(owner: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(owner, name, { value, enumerable: true, configurable: true, writable: true });
  else owner[name] = value;
}

function documentIdOf(value: object): string | null {
  const { documentId, id } = value as { documentId?: unknown; id?: unknown };
  if (typeof documentId === 'string') return documentId;
  return typeof id === 'string' && id.startsWith('doc_') ? id : null;
}

function isUntrusted(name: string, position: Position): boolean {
  return position.id === null ? alwaysUntrusted.test(name) : untrustedName.test(name);
}

/** False for members that this service or the author of a workflow wrote, although others of that name may quote a document. */
function mayQuote(name: string, owner: object): boolean {
  const { code, question } = owner as { code?: unknown; question?: unknown };
  if (name === 'message') return typeof code !== 'string' || !ownMessages.has(code);
  return name !== 'promptText' || typeof question !== 'string';
}

function untrustedTextOf(name: string, value: unknown, position: Position): string | null {
  if (Array.isArray(value) && alwaysUntrusted.test(name)) return JSON.stringify(value);
  if (position.id !== null && value !== null && value !== undefined && untrustedValue.test(name))
    return typeof value === 'string' ? value : JSON.stringify(value);
  if (name === untrustedGroups && Array.isArray(value)) return JSON.stringify(value);
  return typeof value === 'string' && isUntrusted(name, position) ? value : null;
}

interface Separated {
  readonly json: string;
  readonly blocks: readonly UntrustedBlock[];
  /** Places of untrusted values: JSON Pointers with * for the places of lists. */
  readonly pointers: readonly string[];
}

/** Splits `output` into JSON without untrusted text, and that text in blocks by document, in order. */
export function separate(output: unknown): Separated {
  const found = new Map<string, UntrustedField[]>();
  const pointers = new Set<string>();
  const walk = (value: unknown, position: Position): unknown => {
    // Neutralize before serializing: JSON escapes characters that may be part of a tag.
    if (typeof value === 'string') return neutralize(value);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, below(position, String(index), true)));
    if (typeof value !== 'object' || value === null) return value;
    const own = documentIdOf(value);
    const here = own === null ? position : { ...position, id: own, isStart: true };
    const copy: Record<string, unknown> = {};
    for (const [name, child] of Object.entries(value)) {
      const text = untrustedTextOf(name, child, here);
      // Most members: their places are of no use.
      if (text === null && name !== 'promptText' && (typeof child !== 'object' || child === null)) {
        put(copy, neutralize(name), typeof child === 'string' ? neutralize(child) : child);
        continue;
      }
      const place = below(here, name, false);
      if (text === null || !mayQuote(name, value)) {
        // The prompt repeats the author's question with its values, which are shown apart.
        if (name !== 'promptText') put(copy, neutralize(name), walk(child, place));
        else pointers.add(pointerOf(place));
        continue;
      }
      pointers.add(pointerOf(place));
      const path = pathOf(place);
      // Text about several documents, such as a chat answer, gets the path of its field as id.
      const id = here.id ?? path;
      found.set(id, [...(found.get(id) ?? []), { path, text }]);
    }
    return copy;
  };
  const trusted = walk(output, root);
  const blocks = [...found].map(([id, fields]) => ({ id, fields }));
  return { json: neutralize(JSON.stringify(trusted)), blocks, pointers: [...pointers] };
}

export function renderBlock({ id, fields }: UntrustedBlock): string {
  const [first] = fields;
  const body =
    fields.length === 1 && first !== undefined && alwaysUntrusted.test(first.path)
      ? first.text
      : fields.map((field) => `${field.path}: ${field.text}`).join('\n');
  return `<untrusted-document id="${id.replaceAll(/[^\w.-]/g, '')}">\n${neutralize(body)}\n</untrusted-document>`;
}

/** Text of one result, in bytes of UTF-8. `structuredContent` is never cut. */
export const textBudgetBytes = 24_000;
/** Reserved for the notes about cuts and for the hint. */
const reserveBytes = 1_500;

/** A part that was left out of the text. */
export interface Cut {
  /** Path of the part: `documents`, `execution.runs`, `documentText`. */
  readonly what: string;
  readonly unit: 'items' | 'characters';
  readonly shown: number;
  readonly of: number;
}

const bytes = (text: string): number => Buffer.byteLength(text);

const rendered = ({ json, blocks }: Separated): string => [json, ...blocks.map(renderBlock)].join('\n\n');

const render = (output: unknown): string => rendered(separate(output));

interface Found<T> {
  readonly path: readonly string[];
  readonly value: T;
}

/** Finds lists at most three names deep. Deeper ones belong to items. */
function lists(value: unknown, path: readonly string[] = []): Found<readonly unknown[]>[] {
  if (Array.isArray(value)) return [{ path, value }];
  if (typeof value !== 'object' || value === null || path.length > 2) return [];
  return Object.entries(value).flatMap(([name, child]) => lists(child, [...path, name]));
}

function withValue(output: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  return { ...(output as object), [name]: withValue((output as Record<string, unknown>)[name], rest, value) };
}

function largest(output: unknown): Found<readonly unknown[]> | undefined {
  const size = (found: Found<readonly unknown[]>): number => JSON.stringify(found.value).length;
  return lists(output)
    .filter((found) => found.value.length > 1)
    .toSorted((a, b) => size(b) - size(a))[0];
}

/** Keeps as many first items as fit, at least one. */
function shorten(
  output: unknown,
  { path, value }: Found<readonly unknown[]>,
  budget: number,
): { output: unknown; cut: Cut } {
  let low = 1;
  let high = value.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (bytes(render(withValue(output, path, value.slice(0, middle)))) <= budget) low = middle;
    else high = middle - 1;
  }
  const cut: Cut = { what: path.join('.'), unit: 'items', shown: low, of: value.length };
  return { output: withValue(output, path, value.slice(0, low)), cut };
}

/** Returns the longest start of `text` within `budget` bytes, without a partial character. */
export function startOf(text: string, budget: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= budget) return text;
  let end = Math.max(0, budget);
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.subarray(0, end).toString();
}

/** Returns the first `count` UTF-16 units of `text`, or one fewer to keep a surrogate pair whole. */
function firstCharacters(text: string, count: number): string {
  const last = text.charCodeAt(count - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? count - 1 : count);
}

/** Cuts untrusted fields, the longest first, until all fits. */
function cutTexts(output: unknown, budget: number): { text: string; cuts: Cut[] } {
  const { json, blocks } = separate(output);
  const shorter = new Map<UntrustedField, string>();
  const shownNow = (): string => {
    const shown = blocks.map(({ id, fields }) => ({
      id,
      fields: fields.map((field) => ({ ...field, text: shorter.get(field) ?? field.text })),
    }));
    return [json, ...shown.map(renderBlock)].join('\n\n');
  };
  const cuts: Cut[] = [];
  const longestFirst = blocks.flatMap((block) => block.fields).toSorted((a, b) => bytes(b.text) - bytes(a.text));
  for (const field of longestFirst) {
    if (bytes(shownNow()) <= budget) break;
    const show = (count: number): string => {
      const start = firstCharacters(field.text, count);
      shorter.set(field, start);
      return start;
    };
    let low = 0;
    let high = Math.min(field.text.length, budget);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      show(middle);
      if (bytes(shownNow()) <= budget) low = middle;
      else high = middle - 1;
    }
    cuts.push({ what: field.path, unit: 'characters', shown: show(low).length, of: field.text.length });
  }
  return { text: shownNow(), cuts };
}

interface Fitted {
  readonly text: string;
  readonly cuts: readonly Cut[];
  /** Those of the whole output. */
  readonly pointers: Separated['pointers'];
}

/** Renders the output within the budget: cuts items first, then the longest texts. */
export function fit(output: Record<string, unknown>): Fitted {
  const whole = separate(output);
  return { ...fitted(output, rendered(whole)), pointers: whole.pointers };
}

function fitted(output: Record<string, unknown>, whole: string): Omit<Fitted, 'pointers'> {
  const budget = textBudgetBytes - reserveBytes;
  const cuts: Cut[] = [];
  let shown: unknown = output;
  let text = whole;
  while (bytes(text) > budget) {
    const list = largest(shown);
    if (list === undefined) break;
    const shorter = shorten(shown, list, budget);
    cuts.push(shorter.cut);
    shown = shorter.output;
    text = render(shown);
  }
  if (bytes(text) <= budget) return { text, cuts };
  const last = cutTexts(shown, budget);
  cuts.push(...last.cuts);
  if (bytes(last.text) <= budget) return { text: last.text, cuts };
  // Neither a list nor untrusted text is left to cut: one value of ours is too long.
  const start = startOf(last.text, budget);
  return {
    text: start,
    cuts: [...cuts, { what: 'the result', unit: 'characters', shown: start.length, of: text.length }],
  };
}
