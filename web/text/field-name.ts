const abbreviations = new Set(['bic', 'iban', 'id', 'sku', 'url', 'vat']);

function wordsOf(part: string): readonly string[] {
  // Rows are counted from 1, as people do.
  if (/^\d+$/.test(part)) return [String(Number(part) + 1)];
  return part
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[\s_-]+/)
    .map((word) => (/^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word))
    .map((word) => (abbreviations.has(word) ? word.toUpperCase() : word));
}

/** Name of a field of a record for people: `dueDate` is "Due date", `seller.vatId` "Seller VAT ID", `items.0.amount` "Items 1 amount". */
export function fieldName(path: string): string {
  const name = path.split('.').flatMap(wordsOf).join(' ');
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
