const label =
  /^[ \t]*(?:bill(?:ed)? to|sold to|ship to|deliver to|customer|client|rechnung an|kunde|empfänger|lieferung an|lieferanschrift|facturé à|livré à|destinataire|cliente)[ \t]*(?::[ \t]*(?:\n[ \t]*)?|\n[ \t]*)([^\s\d:@][^\n\d:@]{2,59})$/imu;

/** Name behind a label such as `Bill to`, on its line or the one below. Empty if there is none. */
export function findRecipient(text: string): string {
  const [, name = ''] = label.exec(text.slice(0, 5_000)) ?? [];
  if (!/^\p{Lu}/u.test(name)) return '';
  return name
    .replaceAll(/[\p{Cc}\p{Cf}]|\s+/gu, ' ')
    .trim()
    .replace(/[.,;]$/, '');
}
