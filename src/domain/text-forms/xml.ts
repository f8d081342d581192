import { own } from '#src/contracts/own.ts';

/** Characters that no XML 1.0 document may contain, escaped or not; `u` matches lone surrogates as characters. Source: XML 1.0 §2.2. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text for an element or an attribute. Characters that XML does not allow become U+FFFD. */
export function escapeXml(text: string): string {
  return text.replaceAll(forbidden, '\u{fffd}').replaceAll(/[&<>"'\t\n\r]/g, (one) => own(entities, one) ?? one);
}
