/** Characters that a quoted name in a header may have; others become underscores there. */
const unquotable = /[^\x20-\x7e]|["\\%]/gu;
/** Characters that `encodeURIComponent` leaves and RFC 8187 §3.2.1 does not. */
const unreserved = /['()*]/g;

const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    unreserved,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Value of Content-Disposition: a plain name for every client, and the name as it is for those of RFC 6266. */
export function dispositionOf(kind: 'attachment' | 'inline', name?: string): string {
  if (name === undefined) return kind;
  const plain = name.replaceAll(unquotable, '_');
  const both = `${kind}; filename="${plain}"`;
  return plain === name ? both : `${both}; filename*=UTF-8''${encoded(name)}`;
}
