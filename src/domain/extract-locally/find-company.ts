import { amountsIn } from '#src/domain/extract-locally/amounts.ts';
import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';
import { textDistance } from '#src/domain/documents/text-distance.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import { findTyped } from '#src/domain/segment-locally/values.ts';

const words = (...alternatives: readonly string[]): string =>
  `(?<![\\p{L}\\d])(?:${alternatives.join('|')})(?![\\p{L}\\d])`;

/** Legal forms, in folded text. */
const form = words(
  'sdn\\.? ?\\.?bhd',
  's/b',
  'bhd',
  'gmbh(?: ?& ?co\\.? ?kg)?',
  'mbh',
  'kg',
  'ohg',
  'e\\. ?k\\.?',
  'e\\. ?v\\.?',
  'ug',
  'ltd',
  'limited',
  'llc',
  'llp',
  'plc',
  'inc',
  'corp(?:oration)?',
  'company(?! ?(?:reg|no))',
  'pte',
  'pty',
  's\\.?a\\.?r\\.?l',
  's\\.?a\\.?s',
  's\\.a',
  's\\.l',
  's\\.?r\\.?l',
  's\\.?p\\.?a',
  'b\\.?v',
  'n\\.v',
  'aps',
  'oy',
  'kft',
  'ag',
  'a\\. ?g\\.',
);
/** Words of names of shops and firms. */
const trade = words(
  'enterprise',
  'trading',
  'holdings?',
  'co',
  'marketing',
  'restaurants?',
  'restoran',
  'cafe',
  'kopitiam',
  'bakery',
  'bakeries',
  'backerei',
  'mart',
  'supermarket',
  'hypermarket',
  'market',
  'markt',
  'store',
  'shop',
  'hardware',
  'electrical',
  'pharmacy',
  'apotheke',
  'stationery',
  'motor',
  'auto',
  'hotel',
  'food',
  'foods',
  'pizza',
  'services?',
  'industries',
  'group',
  'grocers?',
  'books?',
  'tischlerei',
  'werkstatt',
  'cash & carry',
  'deco',
  'boutique',
  'salon',
  'clinic',
  'praxis',
  'garage',
  'station',
  'petrol',
  'house',
);
/** Words of addresses, and of other lines that are no name wherever they stand. */
const places = words(
  'jalan',
  'jln',
  'lot',
  'floor',
  'flr',
  'taman',
  'kawasan',
  'bandar',
  'lorong',
  'persiaran',
  'level',
  'block',
  'wisma',
  'selangor',
  'kuala lumpur',
  'johor',
  'petaling jaya',
  'goods sold',
  'thank you',
  'tq',
  'shopping with',
  'welcome',
  'willkommen',
  'please',
  'owned by',
  'tel',
  'telefon',
  'fax',
  'email',
  'www',
  'http',
);
/** Words of addresses that stand in names as well: with a number they are an address. */
const streets = words(
  'street',
  'str',
  '\\p{L}+strasse',
  'road',
  'lane',
  'avenue',
  'terrace',
  'square',
  'drive',
  'weg',
  'platz',
  'gasse',
  'allee',
  'rue',
  'via',
  'calle',
);
/** Words that start lines which are no name: kinds of documents, numbers, greetings. */
const starts = words(
  'no',
  'unit',
  'plaza',
  'tax invoice',
  'invoice',
  'rechnung',
  'receipt',
  'quittung',
  'cash (?:bill|sales?)',
  'bill',
  'posted',
  'phone',
  'gst',
  'reg',
  'date',
  'datum',
  'time',
  'cashier',
  'kassierer',
  'table',
  'roc',
  'customer',
  'reprint',
  'copy',
  'original',
  'order',
  'branch',
  'page',
  'company (?:no|reg)\\w*',
  'co\\.? ?(?:no|reg)\\w*',
  'qte',
  'qty',
  'price',
  'statement',
  'application',
  'description',
);

/** True for a name with a legal form. */
export const hasLegalForm = (text: string): boolean => patterns.form.test(foldText(text));

const patterns = {
  form: new RegExp(form, 'u'),
  trade: new RegExp(trade, 'u'),
  places: new RegExp(`${places}|@|\\d.*${streets}|${streets}.*\\d`, 'u'),
  starts: new RegExp(`^\\W*${starts}`, 'u'),
  /** A kind of shop without its name: `BISTRO & CAFE`. */
  generic: new RegExp(`^\\W*(?:(?:${trade}|${words('bistro', 'bar', 'pub', 'grill', 'and', 'n')})\\W*)+$`, 'u'),
  /** The end of a name, whose beginning is on another line: `CO. LTD`. */
  headless: new RegExp(`^\\W*(?:co\\b|${form})`, 'u'),
  /** A label with its value. */
  labelled: /^[\p{L} ]{2,20}:\s*\S/u,
  /** The kind of the document, in another column of the first line. */
  kind: /\s+(?:tax )?(?:invoice|receipt|rechnung|quittung|statement|page \d+ (?:of|von) \d+)\s*$/iu,
  /** A line that goes on with what the line above began. */
  continues: new RegExp(`^(?:\\(?\\w{1,12}\\)? ?)?(?:${form})|^(?:${trade})`, 'u'),
};

/** Number of the company's registration after its name. */
const registration =
  /[\s([{]*(?:(?:co|company|reg|roc|gst)\.? ?)*(?:(?:no|id|nr)\.? ?:? ?)?(?:[([{]?\d(?:[\dOBIlSG]{4,}|[\dOBIlSG]{2,} ?\d{2,}).{0,16}|[([{][\dOBISG]{4,7}-\p{L}\W*)$/isu;

/** Words before the name of an owner, in its line or alone in the line above. */
const owner = /^(?:dimiliki(?: oleh)?|owned by|own by|operated by|managed by)\W*/iu;
/** The same, where nothing or the kind of the document follows. */
const ownerBelow = new RegExp(`${owner.source}(?:[a-z][^a-z]*$|(?:tax )?invoice|receipt|$)`, 'iu');
/** Scraps after a legal form: no branch or town, which have more letters. */
const scraps =
  /(?<=bhd\.?|s\/b|ltd\.?|gmbh)(?:\s?[([{][^\p{L}]{0,12}\p{L}{0,2}[^\p{L}]{0,12}|\s[^\p{L}\d]{0,4}\p{L}{1,2}[^\p{L}\d]{0,4}|\s[^\p{L}]{1,4})$/iu;

const mostLines = 14;

interface Heading {
  readonly lines: readonly PlacedLine[];
  readonly score: number;
}

/** Long words of names, which one misread letter leaves recognizable. */
const longWords = [
  'enterprise',
  'restaurant',
  'international',
  'marketing',
  'electrical',
  'supermarket',
  'hypermarket',
  'pharmacy',
  'hardware',
  'industries',
  'services',
  'holdings',
  'confectionery',
  'corporation',
  'engineering',
  'electronics',
];

/** A long word with one letter misread as the word that it was, in the same case. */
function longWord(written: string): string {
  const word = longWords.find((one) => one.length === written.length && textDistance(one, written.toLowerCase()) === 1);
  if (word === undefined) return written;
  if (/^\p{Lu}\p{Lu}/u.test(written)) return word.toUpperCase();
  return /^\p{Lu}/u.test(written) ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : word;
}

/** Text with digits alone among letters as the letters that they were (`C0.`, `D.1.Y.`), and misread legal forms as they are. */
function unmisread(text: string): string {
  return text
    .replaceAll(/(?<=\p{L}0?|\p{L}\.)0(?=0?\p{L}|\.|\s|$)/gu, 'O')
    .replaceAll(/(?<=\p{L}\.)1(?=\.\p{L})/gu, 'I')
    .replaceAll(/(?<![\p{L}\d])1(?=\p{Lu}{3})/gu, 'I')
    .replaceAll(/(?<=\p{L} )[S58§$][/1][B8R](?=\s*(?:[([{]|\d{5}|$))/gu, 'S/B')
    .replaceAll(
      /(?<!\p{L})[S5][DO0][NHI](\.? ?)(?:[B83]|ii|il|li)[HN]?[DO0]?(?=\.?(?:\s|[([{]|$))/gu,
      (_, gap: string) => `SDN${gap === '' ? ' ' : gap}BHD`,
    )
    .replaceAll(/(?<=\s)\p{L}{2,4}(?=\.? ?bhd(?!\p{L}))/giu, (word) =>
      textDistance(word.toLowerCase(), 'sdn') === 1 ? 'SDN' : word,
    )
    .replaceAll(/(?<=(?<!\p{L})sdn\.? )\p{L}{3}(?!\p{L})/giu, (word) =>
      textDistance(word.toLowerCase(), 'bhd') === 1 ? 'BHD' : word,
    )
    .replace(/(?<=\s(?:SDN|Sdn))[^\p{L}\d]+\p{L}{0,2}[^\p{L}\d]*$/u, ' BHD')
    .replaceAll(/\((?:M[\p{L}1]|\p{L}M|[HNWi])\)(?=[, ]{0,2}(?:sdn|bhd))/giu, '(M)')
    .replaceAll(/\(K[Il1]L?\)(?=[, ]{0,2}(?:sdn|bhd))/giu, '(KL)')
    .replaceAll(/\p{L}{8,13}/gu, longWord);
}

/** Characters of the longest name. */
const longestName = 200;

function scoreOf(written: string, at: number): number {
  if (written.length > longestName) return Number.NEGATIVE_INFINITY;
  const text = unmisread(written).replace(patterns.kind, '');
  const folded = foldText(text);
  const letters = folded.match(/\p{L}/gu)?.length ?? 0;
  const digits = folded.match(/\d/gu)?.length ?? 0;
  if (letters < 3 || findTyped(text, 'date').length > 0 || amountsIn(text).length > 0) return Number.NEGATIVE_INFINITY;
  const hasForm = patterns.form.test(folded);
  const isGeneric = patterns.generic.test(folded);
  return (
    (hasForm ? 3 : 0) +
    (patterns.trade.test(folded) ? 1.2 : 0) -
    (patterns.places.test(folded) || patterns.starts.test(folded) ? 2.5 : 0) -
    (patterns.labelled.test(folded) ? 1.5 : 0) -
    (!hasForm && digits > letters / 3 ? 1.5 : 0) -
    (letters < 5 ? 1 : 0) -
    (isGeneric ? 1.2 : 0) -
    (patterns.headless.test(folded) ? 2 : 0) -
    at * 0.15
  );
}

/** Confidence of a line whose last mark tells that the name goes on. */
const leastRead = 55;
/** Most lines of one name. */
const mostJoined = 3;

/** The line, with those below it that go on with the name. */
function headingAt(lines: readonly PlacedLine[], at: number): Heading | null {
  const joined = lines.slice(at, at + 1);
  const text = (): string => joined.map(({ line }) => line.text).join(' ');
  // A line of which hardly a letter was read tells nothing.
  const confidence = lines[at]?.line.confidence ?? 100;
  const weak = confidence < 35 ? 1.5 : 0;
  const isRead = confidence >= leastRead;
  // A shop that names its owner has a name of its own, if a line above reads like one.
  const isOwner = owner.test(text()) || ownerBelow.test(lines[at - 1]?.line.text.slice(0, longestName) ?? '');
  const owned = isOwner ? 2 : 0;
  let score = scoreOf(text(), at) - weak - owned;
  if (joined.length === 0 || score < -1) return null;
  for (const next of lines.slice(at + 1, at + mostJoined)) {
    const isOpen =
      (isRead && /[&-]\s*$|\(\p{L}{2}[^()]{0,40}$/u.test(text())) ||
      patterns.continues.test(foldText(unmisread(next.line.text)));
    if (!isOpen || patterns.form.test(foldText(unmisread(text())))) break;
    joined.push(next);
    const longer = scoreOf(text(), at) - weak - owned;
    if (longer < score) {
      joined.pop();
      break;
    }
    score = longer + 0.1;
  }
  return { lines: joined, score };
}

const hasForm = ({ lines }: Heading): boolean =>
  patterns.form.test(foldText(unmisread(lines.map(({ line }) => line.text).join(' '))));

export interface FoundCompany extends Span {
  readonly value: string;
  /** 0..1, before the confidence of the reading. */
  readonly sure: number;
}

/**
 * The shop or firm that issued a document: of the first lines the one that reads like its name, best with a legal form, without the number of
 * its registration. null if no line does. Source: docs/decisions/0237.
 */
export function findCompany(pages: readonly (readonly PlacedLine[])[]): FoundCompany | null {
  const lines = (pages[0] ?? []).slice(0, mostLines);
  const headings = lines.flatMap((_, at) => headingAt(lines, at) ?? []);
  const issuer = headings.findIndex(hasForm);
  // Firms below the first are mostly those that the document is for.
  const [best, second] = headings
    .map((one, at) => (issuer !== -1 && at > issuer && hasForm(one) ? { ...one, score: one.score - 1 } : one))
    .toSorted((one, other) => other.score - one.score);
  const first = best?.lines[0];
  const last = best?.lines.at(-1);
  if (best === undefined || first === undefined || last === undefined || best.score < -1) return null;
  const written = best.lines.map(({ line }) => line.text).join('\n');
  const marks = /^[^\p{L}\d]+/u.exec(written)?.[0].length ?? 0;
  const lead = marks + (owner.exec(written.slice(marks))?.[0].length ?? 0);
  const name = written
    .slice(lead)
    .replace(patterns.kind, '')
    .replace(registration, '')
    .replace(scraps, '')
    .replace(/[\s"'*_|~:;,-]+$/u, '');
  const margin = best.score - (second?.score ?? 0);
  return {
    // A legal form that was misread ends the name as well.
    value: unmisread(name.replaceAll('\n', ' ')).replace(registration, '').replace(scraps, ''),
    start: first.start + lead,
    end: first.start + lead + name.length,
    sure: best.score > 2.4 ? (margin > 1 ? 0.85 : 0.75) : 0.6,
  };
}
