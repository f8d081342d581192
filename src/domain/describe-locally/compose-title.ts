import { findHeadline, findSubject, whole } from '#src/domain/describe-locally/find-headline.ts';
import type { KeyField } from '#src/domain/describe-locally/key-field.ts';
import { dateOf, spelled, type KnownFacts } from '#src/domain/describe-locally/known-facts.ts';

/** Types whose documents are told apart by issuer, day and number, and those that state a total. */
const papers: ReadonlySet<string> = new Set([
  'invoice',
  'receipt',
  'statement',
  'delivery note',
  'purchase order',
  'quotation',
  'payslip',
  'ticket',
]);
const withTotal: ReadonlySet<string> = new Set(['invoice', 'receipt', 'purchase order', 'quotation']);
/** Types that need no name beside their headline. */
const headed: ReadonlySet<string> = new Set(['unknown', 'article', 'flyer']);
const longestTitle = 120;

export interface TitleParts {
  readonly type: string;
  readonly text: string;
  readonly fields: readonly KeyField[];
  readonly facts: KnownFacts;
  /** Words that the text repeats most. */
  readonly topics: readonly string[];
}

/** Type with a capital letter. */
export const nameOf = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1);

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** A name without what stands on its line by chance: the type of the document, the number of the page, marks at its ends. */
function bareName(name: string, type: string): string {
  const bare = name
    .replace(/\s+page\s.{0,12}$/iu, '')
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}).]+$/gu, '')
    .split(' ');
  return bare.length > 1 && bare.at(-1) === type.toUpperCase() ? bare.slice(0, -1).join(' ') : bare.join(' ');
}

/** The issuer, day and total that say which document of its type it is. */
export function tellingFacts({ type, facts, text, fields }: TitleParts): KnownFacts {
  const dated = fields.find(({ name, value }) => name === 'date' && /\d{4}/.test(value))?.value ?? '';
  return {
    party: spelled(bareName(facts.party === '' ? findHeadline(text) : facts.party, type)),
    date: facts.date === '' ? dateOf(dated) || dated : facts.date,
    total: withTotal.has(type) ? facts.total : '',
  };
}

/** True for types whose title states issuer, day and total. */
export const isPaper = (type: string): boolean => papers.has(type);

function paperTitle(parts: TitleParts): string {
  const { party, date, total } = tellingFacts(parts);
  const own = parts.fields.find(({ name }) => name === `${parts.type.split(' ')[0]} number`)?.value ?? '';
  const head = parts.type === 'receipt' || own.length > 24 ? nameOf(parts.type) : `${nameOf(parts.type)} ${own}`.trim();
  return [head, party, date, total].filter((part) => part !== '').join(', ');
}

/** A title as a person would write it, of what the text tells: no line is cut off, nothing is invented. */
export function composeTitle(parts: TitleParts): string {
  const { type, text, facts, topics } = parts;
  if (papers.has(type)) return whole(paperTitle(parts), longestTitle);
  const subject = type === 'letter' || type === 'memo' ? findSubject(text) : '';
  if (subject !== '') return subject.toLowerCase().includes(type) ? subject : `${nameOf(type)}: ${subject}`;
  const headline = findHeadline(text);
  if (type === 'letter')
    return [nameOf(type), headline, tellingFacts(parts).date].filter((part) => part !== '').join(', ');
  if (headline !== '')
    return headed.has(type) || headline.toLowerCase().includes(type) ? headline : `${nameOf(type)}: ${headline}`;
  const about = listed(topics.slice(0, 3));
  if (about !== '') return `${type === 'unknown' ? 'Text' : nameOf(type)} about ${about}`;
  const dated = facts.date === '' ? '' : ` of ${facts.date}`;
  return type === 'unknown' ? `Untitled document${dated}` : `${nameOf(type)}${dated}`;
}
