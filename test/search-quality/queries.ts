import type { Facts, QualityDocument } from '#test/search-quality/documents.ts';
import type { DocumentType } from '#test/search-quality/templates.ts';
import type { Language } from '#test/search-quality/world.ts';

/** 0: not what was meant, 3: exactly what was meant. */
export type Grade = 0 | 1 | 2 | 3;

export interface QualityQuery {
  readonly group: string;
  readonly text: string;
  /** By what the document was made of. A query in a language means documents in that language. */
  readonly judge: (facts: Facts) => Grade;
}

type Judge = QualityQuery['judge'];

/** Documents of the type about the thing; others about the thing are a little of it. */
const about =
  (language: Language, good: string, type?: DocumentType): Judge =>
  (facts) => {
    if (facts.language !== language || !facts.goods.includes(good)) return 0;
    return type === undefined || facts.type === type ? 3 : 1;
  };

/** Grades for a medical letter or a claim: the topic fully, others of its kind a little. */
const onTopic =
  (language: Language, type: DocumentType, topic: string, others: Grade = 0): Judge =>
  (facts) => {
    if (facts.language !== language || facts.type !== type) return 0;
    return facts.topic === topic ? 3 : others;
  };

/** Grades for documents of the type with the sentence; `others` is the grade of the type without it. */
const saying =
  (language: Language, type: DocumentType, variant: number | null, others: Grade = 0): Judge =>
  (facts) => {
    if (facts.language !== language || facts.type !== type) return 0;
    return variant === null || facts.variant === variant ? 3 : others;
  };

const naming =
  (field: 'person' | 'vendor' | 'city', value: string, type?: DocumentType): Judge =>
  (facts) => {
    if (facts[field] !== value) return 0;
    return type === undefined || facts.type === type ? 3 : 1;
  };

const anyOf =
  (...judges: Judge[]): Judge =>
  (facts) =>
    Math.max(...judges.map((judge) => judge(facts))) as Grade;

const group = (name: string, rows: readonly (readonly [text: string, judge: Judge])[]): QualityQuery[] =>
  rows.map(([text, judge]) => ({ group: name, text, judge }));

/** Written by hand. */
const written: readonly QualityQuery[] = [
  ...group('English words', [
    ['invoice walnut table', about('en', 'walnut-table', 'invoice')],
    ['delivery of oak chairs', about('en', 'oak-chair', 'delivery')],
    ['reminder lawn mower', about('en', 'lawn-mower', 'reminder')],
    ['receipt coffee beans', about('en', 'coffee-beans', 'receipt')],
    ['complaint about roof tiles', about('en', 'roof-tiles', 'complaint')],
    ['medical report chronic migraine', onTopic('en', 'medical', 'migraine', 1)],
    ['insurance claim water damage cellar', onTopic('en', 'claim', 'water', 1)],
    ['window cleaning order', about('en', 'window-cleaning', 'order')],
  ]),
  ...group('typos', [
    ['invioce walnut tabel', about('en', 'walnut-table', 'invoice')],
    ['recipt cofee baens', about('en', 'coffee-beans', 'receipt')],
    ['Nussbaumtish Rechnnug', about('de', 'walnut-table', 'invoice')],
    ['Leiferschein Bücheregal', about('de', 'bookshelf', 'delivery')],
    ['factrue chasie en chêne', about('fr', 'oak-chair', 'invoice')],
    ['folded borchure', about('en', 'brochure')],
    ['chornic migriane', onTopic('en', 'medical', 'migraine')],
    ['Pembreton', naming('person', 'Oliver Pemberton')],
  ]),
  ...group('German words', [
    ['Rechnung Nussbaumtisch', about('de', 'walnut-table', 'invoice')],
    ['Rechnungen über Apfelbäume', about('de', 'apple-trees', 'invoice')],
    ['Buecherregal Lieferschein', about('de', 'bookshelf', 'delivery')],
    ['Weisswein Bestellung', about('de', 'wine', 'order')],
    ['Mahnungen Heckenschnitt', about('de', 'hedge-cutting', 'reminder')],
    ['Reklamation Kuchenarmatur', about('de', 'kitchen-tap', 'complaint')],
    ['chronischer Migräne Arztbrief', onTopic('de', 'medical', 'migraine', 1)],
    ['Kassenbon Kaffeebohne', about('de', 'coffee-beans', 'receipt')],
  ]),
  ...group('compounds', [
    ['Tisch aus Nussbaum', about('de', 'walnut-table')],
    ['Reinigung der Fenster', about('de', 'window-cleaning')],
    ['Kabel für das Netzwerk', about('de', 'network-cable')],
    ['Hagel am Auto', onTopic('de', 'claim', 'hail')],
    ['Ziegel Dach Rechnung', about('de', 'roof-tiles', 'invoice')],
    ['Schaden durch Wasser', onTopic('de', 'claim', 'water')],
  ]),
  ...group('French words', [
    ['facture table en noyer', about('fr', 'walnut-table', 'invoice')],
    ['factures tables noyer', about('fr', 'walnut-table', 'invoice')],
    ['etagere murale bon de livraison', about('fr', 'bookshelf', 'delivery')],
    ['cable reseau commande', about('fr', 'network-cable', 'order')],
    ['degat des eaux', onTopic('fr', 'claim', 'water')],
    ['location echafaudage facture', about('fr', 'scaffold', 'invoice')],
    ['gouttières cuivre rappel', about('fr', 'gutter', 'reminder')],
    ['pneumonies bactériennes', onTopic('fr', 'medical', 'pneumonia')],
  ]),
  ...group('names', [
    ['Mueller', naming('person', 'Jürgen Müller')],
    ['Jurgen Muller Rechnung', naming('person', 'Jürgen Müller', 'invoice')],
    ['Lefevre', naming('vendor', 'Ébénisterie Lefèvre')],
    ['Francois Chedeville facture', naming('person', 'François Chédeville', 'invoice')],
    ['Schoenfeld Arztbrief', naming('person', 'Käthe Schönfeld', 'medical')],
    ['Moebelhaus Groessmann', naming('vendor', 'Möbelhaus Größmann')],
    ['McAllister reminder', naming('person', 'Ian McAllister', 'reminder')],
    ['Dusseldorf', naming('city', 'Düsseldorf')],
  ]),
  ...group('phrases', [
    ['"payment is overdue"', saying('en', 'reminder', 0)],
    ['"left with the neighbour"', saying('en', 'delivery', 1)],
    ['"paid by card"', saying('en', 'receipt', 0)],
    ['"Kündigungsfrist beträgt drei Monate"', saying('de', 'contract', 0)],
    ['"payé en espèces"', saying('fr', 'receipt', 1)],
    ['"police were informed" bicycle', onPoliceReport],
  ]),
  ...group('paraphrases', [
    ['unpaid bill with late fees', anyOf(saying('en', 'reminder', null), (facts) => (isInvoice(facts, 'en') ? 1 : 0))],
    ['proof of purchase paid with a card', saying('en', 'receipt', 0, 1)],
    ['salary of an employee', saying('en', 'payslip', null)],
    ['patient with headaches', onTopic('en', 'medical', 'migraine', 1)],
    ['flat lease with a notice period', saying('en', 'contract', 0, 2)],
    ['Beschwerde über beschädigte Ware', saying('de', 'complaint', 0, 2)],
    ['Lohnabrechnung eines Mitarbeiters', saying('de', 'payslip', null)],
    ['rembourser une marchandise abîmée', saying('fr', 'complaint', 0, 2)],
  ]),
];

function isInvoice({ type, language }: Facts, wanted: Language): boolean {
  return type === 'invoice' && language === wanted;
}

function onPoliceReport({ type, language, variant, topic }: Facts): Grade {
  if (type !== 'claim' || language !== 'en') return 0;
  if (variant === 1) return topic === 'theft' ? 3 : 2;
  return topic === 'theft' ? 1 : 0;
}

/** Spellings of a number that is printed with separators, as people type it. */
const spellings: readonly ((printed: string) => string)[] = [
  (printed) => printed,
  (printed) => printed.replaceAll(/[^\p{L}\p{N}]/gu, ''),
  (printed) => printed.replaceAll(/[^\p{L}\p{N}]/gu, ' '),
  (printed) => printed.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '-'),
];

/** The document with the number, and a little those that name it. */
const numbered =
  (wanted: string): Judge =>
  ({ number, reference }) =>
    number === wanted ? 3 : reference === wanted ? 1 : 0;

/** As printed, and typed without a currency, with and without what groups thousands. */
function amountSpellings({ cents, language }: Facts): readonly string[] {
  const [whole, rest] = [String(Math.floor(cents / 100)), String(cents % 100).padStart(2, '0')];
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, language === 'en' ? ',' : language === 'de' ? '.' : ' ');
  const point = language === 'en' ? '.' : ',';
  return [`${grouped}${point}${rest}`, `${whole}${point}${rest}`];
}

/** Invoices drawn evenly from all: their numbers in every spelling, their amounts in two. */
function drawn(documents: readonly QualityDocument[]): QualityQuery[] {
  const invoices = documents.filter(({ facts }) => facts.type === 'invoice').map(({ facts }) => facts);
  const every = (step: number, from: number): Facts[] => invoices.filter((_, at) => at % step === from);
  const numbers = every(5, 1).map((facts, at): QualityQuery => {
    const spelt = (spellings[at % spellings.length] ?? String)(facts.number);
    const word = { en: 'invoice', de: 'Rechnung', fr: 'facture' }[facts.language];
    return { group: 'identifiers', text: at % 3 === 2 ? `${word} ${spelt}` : spelt, judge: numbered(facts.number) };
  });
  const amounts = every(6, 2).map((facts, at): QualityQuery => ({
    group: 'amounts',
    text: amountSpellings(facts)[at % 2] ?? '',
    // A delivery note tells no prices.
    judge: ({ cents, type }) => (cents === facts.cents && type !== 'delivery' ? 3 : 0),
  }));
  return [...numbers, ...amounts];
}

export function qualityQueries(documents: readonly QualityDocument[]): QualityQuery[] {
  return [...written, ...drawn(documents)];
}
