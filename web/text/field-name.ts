/** Name of a field of a record for people: `dueDate` is "Due date", `seller.vatId` "Seller VAT ID", `items.0.amount` "Items 1 amount". */
export function fieldName(path: string): string {
  const name = path
    // Rows are counted from 1, as people do.
    .replaceAll(/(?<=\.)\d+(?=\.)/g, (row) => String(Number(row) + 1))
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|[._-]/gu, ' ')
    .replaceAll(/\p{Lu}\p{Ll}+/gu, (word) => word.toLowerCase())
    .replaceAll(/\b(?:bic|iban|id|sku|url|vat)\b/g, (word) => word.toUpperCase());
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
