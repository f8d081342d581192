import { hasLegalForm } from '#src/domain/extract-locally/find-company.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';
import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import { columnStarts, shared, union, wordsOf, type Box } from '#src/domain/segment-locally/geometry.ts';

/** A party of an invoice: the seller issues it, the buyer is to pay. */
export type Party = 'seller' | 'buyer';

/** Labels of the parties in letters alone: recognition and PDFs break words (`Ver käufer`). English, German and French. */
const labels: Readonly<Record<Party, string>> = {
  seller:
    'verkaufer|seller|vendor|supplier|lieferant|rechnungssteller|rechnungsersteller|rechnungsaussteller|leistungserbringer|issuer|soldby|from|vendeur|fournisseur',
  buyer:
    'kaufer|leistungsempfanger|rechnungsempfanger|buyer|customer|client|billto|billedto|billingaddress|soldto|invoiceto|kunde|rechnungan|rechnungsadresse|acheteur|facturea|adressedefacturation',
};

/** Folded names of fields that are a party of an invoice. */
const fields: Readonly<Record<Party, ReadonlySet<string>>> = {
  seller: new Set('vendor|seller|supplier|issuer|verkaufer|lieferant|rechnungssteller|aussteller|vendeur'.split('|')),
  buyer: new Set('customer|buyer|client|bill to|recipient|kunde|kaufer|rechnungsempfanger|acheteur'.split('|')),
};

/** The party that a field with this name holds; null: none. */
export function partyOf(name: string): Party | null {
  const folded = foldText(name);
  return fields.seller.has(folded) ? 'seller' : fields.buyer.has(folded) ? 'buyer' : null;
}

const lettersOf = (text: string): string => foldText(text).replaceAll(/[^\p{L}]+/gu, '');
const headings = {
  seller: new RegExp(`^(?:${labels.seller})+$`, 'u'),
  buyer: new RegExp(`^(?:${labels.buyer})+$`, 'u'),
} as const;

/** Lines below the label of a party in which its name is looked for. */
const mostBelow = 5;
const longestLabel = 60;
const longestName = 120;
/** Lines of a page that are looked at. */
const mostLines = 300;
/** A label with its value after a colon. */
const beside = /^(?<label>[^:]{2,60}):\s*(?<value>\S.*)$/u;
const labelled = /^(?<label>\p{L}[\p{L} .-]{0,28}?) ?:\s*(?<value>\S.*)$/u;
const names = /^(?:name|firma|company|firmenname|nom)$/u;
/** Lines above a name that are none: a label without its value, and forms of address. */
const unnamed = /^\W*(?:name|firma|company|herrn?|frau|mr|mrs|ms|mme|monsieur|madame|an|to)\W*$/iu;
/** Numbers of a party that stand before its name. */
const numbered = /^\W*(?:gln|gtin|nr|no|nummer|id|kunden\W?nr|lief\W?nr)\b/iu;

/** A label of another field, without its value: `Invoice number`. */
const otherLabel = /(?:number|no|nr|nummer|numero|date|datum|reference|referenz)\W*$/u;

const textOf = (words: readonly { readonly text: string }[]): string => words.map(({ text }) => text).join(' ');

/** Words of one column of a line. */
interface Cell extends Span {
  readonly text: string;
  readonly box: Box;
}

/**
 * The columns of a line. A label and its value are one: `Name:   Acme Ltd`, but `Bill to:   Ship to:` are two labels, and so are
 * `Bill to:   Invoice number   17`.
 */
function cellsOf({ line, start }: PlacedLine): Cell[] {
  const words = wordsOf(line);
  const isLabel = (end: number): boolean => words[end - 1]?.text.endsWith(':') === true;
  const isOther = (at: number, end: number): boolean => otherLabel.test(foldText(textOf(words.slice(at, end))));
  const starts = [...columnStarts(words)].filter((at, index, all) => {
    const end = all[index + 1] ?? words.length;
    return !isLabel(at) || isLabel(end) || isOther(at, end);
  });
  let from = 0;
  const places = words.map(({ text }) => {
    const at = Math.max(from, line.text.indexOf(text, from));
    from = at + text.length;
    return { at, end: from };
  });
  return starts.map((first, index) => {
    const next = starts[index + 1] ?? words.length;
    const begin = places[first]?.at ?? 0;
    const end = Math.min(places[next - 1]?.end ?? begin, begin + longestName);
    const box = union(words.slice(first, next).map((word) => word.box));
    return { text: line.text.slice(begin, end), start: start + begin, end: start + end, box };
  });
}

/** True for words: no number, no date, no telephone. */
function isName(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters >= 3 && letters > 2 * (text.match(/\d/gu)?.length ?? 0);
}

/** The name in a line below a label. `Name: Acme Ltd` is one, other labels with their values are none. */
function nameIn(cell: Cell): Cell | null {
  if (unnamed.test(cell.text)) return null;
  const { label, value = '' } = labelled.exec(cell.text)?.groups ?? {};
  if (label !== undefined) return names.test(lettersOf(label)) ? endOf(cell, value) : null;
  return numbered.test(cell.text) || !isName(cell.text) ? null : cell;
}

/** The end of a cell. */
const endOf = (cell: Cell, text: string): Cell => ({ ...cell, text, start: cell.end - text.length });

/** The name below the label of the party, or beside it. */
function byHeading(rows: readonly (readonly Cell[])[], party: Party): Cell | null {
  for (const [at, cells] of rows.entries())
    for (const cell of cells) {
      const { label = cell.text, value } = beside.exec(cell.text)?.groups ?? {};
      if (label.length > longestLabel || !headings[party].test(lettersOf(label))) continue;
      // `Customer: 2` is the number of the customer.
      const found = value === undefined ? below(rows, at, cell) : isName(value) ? endOf(cell, value) : null;
      if (found !== null) return found;
    }
  return null;
}

/** The first name in the column below a label; with a second line, if that one has the legal form. */
function below(rows: readonly (readonly Cell[])[], at: number, { box }: Cell): Cell | null {
  const isBelow = (cell: Cell): boolean => shared(cell.box[0], cell.box[2], box[0], box[2]) > 0;
  const column = rows.slice(at + 1, at + 1 + mostBelow).flatMap((cells) => {
    // Values can stand in a column of their own, right of their labels.
    const alone = cells.length === 1 ? cells.find((cell) => cell.box[0] > box[0]) : undefined;
    return cells.find(isBelow) ?? alone ?? [];
  });
  const first = column.findIndex((cell) => nameIn(cell) !== null);
  if (first === -1) return null;
  const [found = null, next = null] = column.slice(first, first + 2).map(nameIn);
  if (found === null || next === null || hasLegalForm(found.text) || !hasLegalForm(next.text)) return found;
  return { ...found, text: `${found.text} ${next.text}`, end: next.end };
}

/** The sender in one line above the address of a letter: `Bei Spiel GmbH · Ecke 12 · 12345 Stadt` (DIN 5008). */
const sender =
  /^(?<name>[^●•·∙|]{3,80}?)\s*(?:[●•·∙|]|\s[-–]\s).{3,80}(?:[●•·∙|]|\s[-–]\s)\s*(?:\p{Lu}{1,2}-)?\d{4,5}\s+\p{L}/u;

function bySender(rows: readonly (readonly Cell[])[], lines: readonly PlacedLine[], party: Party): Cell | null {
  for (const [at, { line, start }] of lines.entries()) {
    const name = sender.exec(line.text.slice(0, 2 * longestName))?.groups?.['name'];
    if (name === undefined || !isName(name)) continue;
    if (party === 'seller') return { text: name, start, end: start + name.length, box: line.box };
    const [next] = rows[at + 1] ?? [];
    return next === undefined || labelled.test(next.text) ? null : nameIn(next);
  }
  return null;
}

export interface FoundParty extends Span {
  readonly value: string;
  /** 0..1, before the confidence of the reading. */
  readonly sure: number;
}

/**
 * The name of a party of an invoice: below or beside its label, or by the line with the sender above the address. null if the text says
 * neither.
 */
export function findParty(pages: readonly (readonly PlacedLine[])[], party: Party): FoundParty | null {
  const lines = (pages[0] ?? []).slice(0, mostLines);
  const rows = lines.map(cellsOf);
  const named = byHeading(rows, party);
  const found = named ?? bySender(rows, lines, party);
  if (found === null) return null;
  const value = found.text.replace(/[\s"'*_|~:;,-]+$/u, '');
  const end = found.end - (found.text.length - value.length);
  return { value, start: found.start, end, sure: named === null ? 0.75 : 0.85 };
}
