import { createContext, Script } from 'node:vm';
import { BSONRegExp } from 'bson';
import { kindOf, Kind } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';

export interface Pattern {
  test(text: string): boolean;
  /** Finds where; after a `test` of the same text has not run out of time. */
  readonly matcher?: RegExp;
}

const MAX_PATTERN = 32_764;

/** The operand of `$regex`, or a pattern in its place, with the `$options` beside it. */
export function regexOf(operand: unknown, options: unknown): { pattern: Pattern; source: BSONRegExp } {
  const given = kindOf(operand) === Kind.regex ? (operand as BSONRegExp) : undefined;
  const text = given?.pattern ?? operand;
  if (typeof text !== 'string') throw new CommandError(2, '$regex has to be a string');
  if (options !== undefined && typeof options !== 'string') throw new CommandError(2, '$options has to be a string');
  if (given?.options && options !== undefined) throw new CommandError(51075, 'options set in both $regex and $options');
  const flags = options ?? given?.options ?? '';
  return { pattern: compilePattern(text, flags), source: new BSONRegExp(text, flags) };
}

/** MongoDB's patterns are PCRE. What JavaScript can express is translated, so that it means the same; the rest is refused. */
function compilePattern(text: string, flags: string): Pattern {
  if (/[^imsxu]/.test(flags)) throw new CommandError(51108, `invalid flag in regex options: ${flags}`);
  if (text.includes('\0')) throw new CommandError(51091, 'Regular expression cannot contain an embedded null byte');
  if (text.length > MAX_PATTERN) throw new CommandError(51091, 'Regular expression is invalid: pattern is too large');
  const { source, insensitive, repeats, nested } = translate(text, flags);
  try {
    const pattern = new RegExp(source, insensitive ? 'iu' : 'u');
    if (repeats === 0) return pattern;
    const watched = watch(pattern);
    const trusted = nested ? 20 : 20_000;
    return {
      test: (subject) => (subject.length > trusted ? watched(subject) : pattern.test(subject)),
      matcher: pattern,
    };
  } catch (error) {
    throw new CommandError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

const PATIENCE_MS = 250;

/** A pattern that could backtrack for ever runs under a clock, which is too slow for the others. */
function watch(pattern: RegExp): (text: string) => boolean {
  let run: ((text: string) => unknown) | undefined;
  return (text) => {
    if (!run) {
      const place = createContext({ pattern, text: '' });
      const script = new Script('pattern.test(text)');
      run = (subject) => {
        place['text'] = subject;
        return script.runInContext(place, { timeout: PATIENCE_MS });
      };
    }
    try {
      return run(text) === true;
    } catch {
      throw new CommandError(51156, 'Error occurred while executing the regular expression: match limit exceeded');
    }
  };
}

const TOKEN =
  /\\(?<escape>x\{[\da-fA-F]{1,6}\}|x[\da-fA-F]{2}|[pP]\{[A-Z][a-z]?\}|[pP][A-Z]|[\s\S])|(?<set>\[\^?\]?(?:\\[\s\S]|[^\]\\])*\])|(?<open>\((?:\?(?:[:=!]|<[=!]|P?<\w+>|'\w+'))?)|(?<close>\))|(?<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?)|(?<plain>[\s\S])/y;

/** Sets that are ASCII in PCRE, and what is outside them. */
const SETS: Readonly<Record<string, string>> = {
  d: '0-9',
  D: '\\0-\\/:-\\u{10ffff}',
  w: '0-9A-Za-z_',
  W: '\\0-\\/:-@\\[-\\^`\\{-\\u{10ffff}',
  s: '\\t-\\r ',
  S: '\\0-\\x08\\x0e-\\x1f!-\\u{10ffff}',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\\n', r: '\\r', t: '\\t', f: '\\f', a: '\\x07', e: '\\x1b' };
const ANCHORS: Readonly<Record<string, string>> = { b: '\\b', B: '\\B', A: '^', z: '$', Z: '(?=\\n?$)' };

interface Translated {
  source: string;
  insensitive: boolean;
  /** Number of parts that repeat without bound; `nested` when one is inside another. */
  repeats: number;
  nested: boolean;
}

function translate(whole: string, options: string): Translated {
  const inline = /^\(\?([imsx]+)\)/.exec(whole);
  const flags = options + (inline?.[1] ?? '');
  const text = inline ? whole.slice(inline[0].length) : whole;
  const [multiline, extended] = [flags.includes('m'), flags.includes('x')];
  const plain: Readonly<Record<string, string>> = {
    '.': flags.includes('s') ? '[\\s\\S]' : '[^\\n]',
    '^': multiline ? '(?:^|(?<=\\n)(?=[\\s\\S]))' : '^',
    $: multiline ? '(?=\\n|$)' : '(?=\\n?$)',
    ']': '\\]',
    '{': '\\{',
    '}': '\\}',
  };
  const open: number[] = [];
  let [source, repeats, nested, closed] = ['', 0, false, Infinity];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.groups ?? {};
    at = TOKEN.lastIndex;
    const before = closed;
    closed = Infinity;
    if (token['escape']) source += ANCHORS[token['escape']] ?? escaped(token['escape'], text[at]);
    else if (token['set']) source += setOf(token['set']);
    else if (token['open']) {
      open.push(repeats);
      // A group that captures does so without its name: only `$regexFind` asks what it caught.
      source += /^\((?:\?P?<\w|\?'|$)/.test(token['open']) ? '(' : token['open'];
    } else if (token['close']) {
      closed = open.pop() ?? Infinity;
      source += ')';
    } else if (token['repeat']) {
      if (/.\+$/.test(token['repeat'])) throw notImplemented('A possessive quantifier in a regular expression');
      if (/^[*+]|,\}/.test(token['repeat'])) {
        if (repeats++ > before) nested = true;
      }
      source += token['repeat'];
    } else if (extended && token['plain'] === '#') {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
    } else if (!extended || !/\s/.test(token['plain'] ?? '')) source += plain[token['plain'] ?? ''] ?? token['plain'];
  }
  return { source, insensitive: flags.includes('i'), repeats, nested };
}

function escaped(escape: string, next = '', inSet = false): string {
  const letter = escape[0] as string;
  const set = SETS[escape];
  if (set) return inSet ? set : `[${set}]`;
  if (letter === 'x' && escape.length > 1) return `\\u{${escape.replace(/[x{}]/g, '')}}`;
  if (/^[pP]./.test(escape)) return `\\${letter}{${escape.slice(1).replace(/[{}]/g, '')}}`;
  if (escape === '0' && !/\d/.test(next)) return '\\0';
  if (inSet && escape === 'b') return '\\b';
  if (ESCAPES[escape]) return ESCAPES[escape];
  if (/[0-9A-Za-z]/.test(escape)) throw notImplemented(`\\${escape} in a regular expression`);
  return /[$()*+./?[\\\]^{|}]/.test(escape) || (inSet && escape === '-') ? `\\${escape}` : escape;
}

function setOf(token: string): string {
  if (/\[[:.=]/.test(token.slice(1))) throw notImplemented('A POSIX class in a regular expression');
  const negated = token[1] === '^' ? '^' : '';
  const pieces =
    token.slice(1 + negated.length, -1).match(new RegExp(`${TOKEN.source.split('|(?<set>')[0]}|[\\s\\S]`, 'g')) ?? [];
  const isSet = (piece = ''): boolean => /^\\[dDwWsSpP]/.test(piece);
  const parts = pieces.map((piece, at) => {
    // Beside a set of its own a hyphen stands for itself.
    if (piece === '-' && (isSet(pieces[at - 1]) || isSet(pieces[at + 1]))) return '\\-';
    if (piece === '[' || piece === ']') return `\\${piece}`;
    return piece.startsWith('\\') ? escaped(piece.slice(1), pieces[at + 1], true) : piece;
  });
  return `[${negated}${parts.join('')}]`;
}
