import { distance } from 'fastest-levenshtein';

/** Beginnings of names that only a program like this one uses. */
const families =
  /^(INKGRAPH|S3|REDIS|OCR|SEGMENTATION|RATE_LIMIT|UPLOAD|DASHBOARD|MCP|OAUTH|OBJECTS|EMBEDDED|EMBEDDING|OUTBOUND|METRICS|TRUSTED_PROX|MAX_CONNECTIONS|RUN_(LEASE|MAX|CONC))/;
/** Shorter names are near to many that others use. */
const shortest = 6;

const plain = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

function nearest(name: string, known: readonly string[]): string | null {
  const wanted = plain(name);
  for (const one of known) {
    const target = plain(one);
    if (target === wanted) return one;
    const most = Math.min(target.length, wanted.length) >= 10 ? 2 : 1;
    if (target.length >= shortest && wanted.length >= shortest && distance(wanted, target) <= most) return one;
  }
  return null;
}

/** Warnings for variables that look like settings of this program and are none, such as a misspelled name. */
export function unknownNames(source: Readonly<Record<string, string | undefined>>, known: readonly string[]): string[] {
  const names = new Set(known);
  return Object.keys(source)
    .filter((name) => !names.has(name) && !name.startsWith('npm_'))
    .flatMap((name) => {
      const near = nearest(name, known);
      if (near !== null) return [`${name} is no setting and has no effect. Did you mean ${near}?`];
      if (!families.test(name)) return [];
      return [`${name} is no setting and has no effect. docs/reference/config.md lists the settings.`];
    });
}
