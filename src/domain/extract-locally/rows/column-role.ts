import { foldWord } from '#src/domain/segment-locally/fuzzy.ts';

/** Meaning of a column of a list of items. */
export type ColumnRole =
  | 'description'
  | 'quantity'
  | 'unitPrice'
  | 'amount'
  | 'code'
  | 'position'
  | 'unit'
  | 'discount'
  | 'tax'
  | 'date';

/** Headers of columns, in English and German, and the common words of French, Spanish, Italian and Dutch. */
const headers: Readonly<Record<ColumnRole, string>> = {
  description:
    'description|descriptions|desc|descr|item|items|item name|item description|description of goods|particulars|details|product|products|' +
    'product name|article|service|services|goods|activity|name|bezeichnung|beschreibung|artikel|artikelbezeichnung|leistung|position|produkt|' +
    'ware|designation|libelle|descripcion|concepto|articulo|producto|descrizione|articolo|omschrijving',
  quantity:
    'qty|quantity|qte|qnty|qua|pcs|hours|hrs|units|count|menge|anzahl|stk|stuck|stunden|quantite|cantidad|cant|quantita|qta|aantal',
  unitPrice:
    'unit price|price|u price|s price|r price|unit cost|price each|unit rate|rate|each|cost|rsp|u p|unit amount|selling price|' +
    'preis|einzelpreis|e preis|stuckpreis|einzel|ep|satz|prix|prix unitaire|pu|p u|precio|precio unitario|prezzo|prezzo unitario|prijs',
  amount:
    'amount|amt|total|line total|total price|total amount|item total|net amount|nett amount|ext price|extended price|extension|value|sum|' +
    'line amount|subtotal|sub total|nett|net|betrag|gesamt|gesamtpreis|gesamtbetrag|summe|g preis|gp|montant|total ht|importe|totale|totaal|bedrag',
  code:
    'code|item code|b code|bar code|barcode|sku|plu|item no|product code|product no|part no|part number|stock code|model|ref|reference|' +
    'art nr|art no|artikelnr|artikelnummer|artnr|artikel nr',
  position: 'pos|no|nr|s n|sn|line|sno|sl no|s no|line no|lfd nr|ln',
  unit: 'unit|uom|um|u m|einheit|me|unite|eenheid',
  discount: 'disc|discount|disc amt|rabatt|nachlass|remise|descuento|sconto|korting',
  tax: 'tax|gst|vat|sst|tax code|tax rate|tax amount|tax amt|gst amt|vat rate|mwst|ust|steuer|steuersatz|tva|iva|btw|taxable amount|tax amount rm',
  date: 'date|datum|fecha|data|day|tag',
};

const roleOfHeader: ReadonlyMap<string, ColumnRole> = new Map(
  Object.entries(headers).flatMap(([role, names]) =>
    names.split('|').map((name) => [foldWord(name), role as ColumnRole] as const),
  ),
);

/** Role of a header by its folded letters; undefined for other words. */
export const roleOfFolded = (folded: string): ColumnRole | undefined => roleOfHeader.get(folded);

/** Longer words of headers, which are known with one letter misread. */
export const longHeaders: readonly string[] = [...roleOfHeader.keys()].filter((name) => name.length >= 5);

/** Words of field names that say a role where the whole name does not. */
const partOfName: readonly (readonly [RegExp, ColumnRole])[] = [
  [/unit ?(?:price|cost|preis|amount)|price ?(?:each|per)|einzelpreis|stuckpreis|\brate\b/u, 'unitPrice'],
  [/\b(?:qty|quantity|menge|anzahl)\b/u, 'quantity'],
  [/\b(?:discount|rabatt)\b/u, 'discount'],
  [/\b(?:tax|vat|gst|mwst)\b/u, 'tax'],
  [/\b(?:sku|code|barcode|artikelnummer)\b/u, 'code'],
  [/\b(?:total|amount|betrag|sum|gesamtpreis)\b/u, 'amount'],
  [/\b(?:description|name|title|bezeichnung|beschreibung)\b/u, 'description'],
  [/\bprice|preis\b/u, 'unitPrice'],
];

/** Role of a field by its names, the first that says one. */
export function roleOfNames(names: readonly string[]): ColumnRole | undefined {
  for (const name of names) {
    const whole = roleOfHeader.get(foldWord(name));
    if (whole !== undefined) return whole;
  }
  const plain = (names[0] ?? '').toLowerCase();
  return partOfName.find(([pattern]) => pattern.test(plain))?.[1];
}
