import { describeDocument } from '#src/domain/describe-locally/describe-text.ts';
import { drawsFrom, type Draw } from '#test/search-quality/draw.ts';
import { noisy } from '#test/search-quality/noise.ts';
import { templates, type DocumentType } from '#test/search-quality/templates.ts';
import {
  complaints,
  damages,
  goods,
  people,
  vendors,
  type Good,
  type Language,
  type Vendor,
} from '#test/search-quality/world.ts';

/** Facts that a document was made of: judgments follow from these, never from its text. */
export interface Facts {
  readonly id: string;
  readonly type: DocumentType;
  readonly language: Language;
  readonly vendor: string;
  readonly trade: string;
  readonly city: string;
  readonly person: string;
  readonly goods: readonly string[];
  /** Key of `complaints` or `damages`. */
  readonly topic: string | null;
  /** As it is printed. */
  readonly number: string;
  /** The number of another document that is named. */
  readonly reference: string | null;
  readonly cents: number;
  /** Number of the sentence drawn by lot. */
  readonly variant: number;
  readonly noisy: boolean;
}

export interface QualityDocument {
  readonly facts: Facts;
  readonly title: string;
  readonly description: string;
  readonly ocrText: string;
}

const languages: readonly Language[] = ['en', 'de', 'fr'];
const chain = ['order', 'delivery', 'invoice', 'reminder'] as const;
/** One for each thing in each language. */
const chains = goods.length * languages.length;
const singles: readonly [type: DocumentType, count: number][] = [
  ['receipt', 72],
  ['contract', 24],
  ['complaint', 72],
  ['medical', 30],
  ['form', 18],
  ['payslip', 18],
  ['claim', 30],
];
/** One document in four was recognized badly. */
const noisyOneIn = 4;

const prefixes: Readonly<Record<DocumentType, readonly string[]>> = {
  order: ['PO', 'B', 'BC'],
  delivery: ['DN', 'LS', 'BL'],
  invoice: ['INV', 'RE', 'FA'],
  reminder: ['REM', 'MA', 'RAP'],
  receipt: ['R', 'K', 'T'],
  contract: ['RA', 'MV', 'CL'],
  complaint: ['CR', 'RK', 'REC'],
  medical: ['MR', 'AB', 'CR'],
  form: ['AF', 'AN', 'FD'],
  payslip: ['PS', 'GA', 'BP'],
  claim: ['CL', 'SM', 'DS'],
};

/** Numbers as offices write them: with dashes, slashes, dots, spaces, or nothing between their parts. */
function numberOf(type: DocumentType, language: Language, at: number): string {
  const prefix = prefixes[type][languages.indexOf(language)] ?? 'X';
  const year = 2022 + (at % 3);
  const count = String(10_000 + ((at * 7_919) % 89_989));
  const styles = [
    `${prefix}-${year}-${count}`,
    `${prefix} ${year}/${count}`,
    `${prefix}${year}.${count}`,
    `${prefix}-${count}`,
  ];
  return styles[(at + Math.floor(at / styles.length)) % styles.length] ?? count;
}

function amountOf(cents: number, language: Language): string {
  const [whole, rest] = [String(Math.floor(cents / 100)), String(cents % 100).padStart(2, '0')];
  const grouped = (by: string): string => whole.replaceAll(/\B(?=(\d{3})+$)/g, by);
  if (language === 'en') return `£${grouped(',')}.${rest}`;
  return language === 'de' ? `${grouped('.')},${rest} EUR` : `${grouped('\u00a0')},${rest} €`;
}

function dateOf(at: number, language: Language): string {
  const [day, month, year] = [
    String(1 + (at % 28)).padStart(2, '0'),
    String(1 + (at % 12)).padStart(2, '0'),
    2022 + (at % 3),
  ];
  return language === 'de' ? `${day}.${month}.${year}` : `${day}/${month}/${year}`;
}

function textOf(facts: Facts, at: number, draw: Draw): string {
  const { type, language, cents, person, vendor, city, number, reference, topic, variant } = facts;
  const topics = [...complaints, ...damages];
  const lines = facts.goods
    .flatMap((id) => goods.find((one) => one.id === id) ?? [])
    .map((one) => `${1 + draw(9)} x ${one.names[language]}  ${amountOf(900 + draw(90_000), language)}`);
  const values: Readonly<Record<string, string>> = {
    person,
    vendor,
    city,
    number,
    reference: reference ?? '',
    topic: topics.find(({ id }) => id === topic)?.names[language] ?? '',
    amount: amountOf(cents, language),
    date: dateOf(at, language),
    lines: lines.join('\n'),
  };
  return templates[type][language]
    .replaceAll(/\[([^|\]]*)\|([^\]]*)\]/g, (_, first: string, second: string) => (variant === 0 ? first : second))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

const picture: Parameters<typeof describeDocument>[0]['picture'] = { tone: 'mostly white', coloured: false };

/** Title and description are what the local describer makes of the recognized text, as in the default workflow. */
function documentOf(facts: Facts, at: number, draw: Draw): QualityDocument {
  const clean = textOf(facts, at, draw);
  const ocrText = facts.noisy ? noisy(clean, draw) : clean;
  const seen = { avgConfidence: facts.noisy ? 71 : 93, pages: 1, width: 1_240, height: 1_754, picture };
  const { title, description } = describeDocument({ text: ocrText, ...seen });
  return { facts, title, description, ocrText };
}

/** 552 documents in three languages, always the same: orders with what follows from them, and single ones. */
export function qualityDocuments(): QualityDocument[] {
  const draw = drawsFrom(20_240_517);
  const documents: QualityDocument[] = [];
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
  /** About the `at`-th thing, and one time in two about another one of its trade. */
  const deal = (at: number) => {
    const language = languages[at % languages.length] as Language;
    const first = goods[Math.floor(at / languages.length) % goods.length] as Good;
    const { name, city } = vendors.find((one) => one.trade === first.trade && one.language === language) as Vendor;
    const offered = goods.filter((one) => one.trade === first.trade);
    const second = offered[(offered.indexOf(first) + 1) % offered.length] as Good;
    const ids = draw(2) === 0 ? [first.id] : [first.id, second.id];
    const person = pick(people[language]);
    return { language, trade: first.trade, vendor: name, city, person, goods: ids, cents: 1_500 + draw(900_000) };
  };
  const add = (facts: Omit<Facts, 'id' | 'number' | 'noisy' | 'variant'>): string => {
    const at = documents.length;
    const number = numberOf(facts.type, facts.language, at);
    const id = `quality-${String(at).padStart(3, '0')}`;
    documents.push(documentOf({ ...facts, id, number, noisy: draw(noisyOneIn) === 0, variant: draw(2) }, at, draw));
    return number;
  };
  for (let at = 0; at < chains; at += 1) {
    const shared = deal(at);
    let reference: string | null = null;
    for (const type of chain) {
      const number = add({ ...shared, type, topic: null, reference });
      if (type !== 'delivery') reference = number;
    }
  }
  for (const [type, count] of singles)
    for (let at = 0; at < count; at += 1) {
      const shared = deal(at);
      const topics = type === 'medical' ? complaints : type === 'claim' ? damages : [];
      const topic = topics[Math.floor(at / languages.length) % topics.length]?.id ?? null;
      const bought = type === 'receipt' || type === 'complaint' ? shared.goods : [];
      add({ ...shared, goods: bought, type, topic, reference: null });
    }
  return documents;
}
