import { readFile, stat } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { inAscii } from './in-ascii.ts';
import { root } from './key.ts';

interface Rare {
  /** Module that loads the package in every case, and uses it in rare ones. */
  readonly of: string;
  /** Name of the package there. */
  readonly name: string;
  readonly source: string;
}

/** Packages with tables of Unicode: a password, or the name of a host, that is not in ASCII. */
export const rarePackages: readonly Rare[] = [
  { of: 'mongodb/lib/cmap/auth/scram.js', name: 'saslprep_1', source: '@mongodb-js/saslprep' },
  { of: 'whatwg-url/lib/url-state-machine.js', name: 'tr46', source: 'tr46' },
];

/** The module, which loads the package with its first use. Throws where it has changed: each start would load the package again. */
export function loadsLater(text: string, { of, name, source }: Rare): string {
  const line = `const ${name} = require("${source}");`;
  if (!text.includes(line))
    throw new Error(`${of} loads ${source} in a new way: app/bundle/lighter.ts does not know it.`);
  return text.replace(line, () => `const ${name} = new Proxy({}, { get: (_, key) => require("${source}")[key] });`);
}

const rareLater: Plugin = {
  name: 'rare-later',
  load: {
    filter: { id: /[/\\](?:scram|url-state-machine)\.js$/ },
    async handler(id) {
      const rare = rarePackages.find(({ of }) => id.replaceAll('\\', '/').endsWith(`/node_modules/${of}`));
      return rare === undefined ? null : loadsLater(await readFile(id, 'utf8'), rare);
    },
  },
};

/** Smaller tables are not worth a file to read. */
const tableBytes = 16_384;
const packages = join(root, 'node_modules/');
const fromRoot = createRequire(packages);

/** Name under which a program of the bundle finds the file of a package; null where it would find another one, or none. */
function nameOf(file: string): string | null {
  const name = file.slice(packages.length).replaceAll('\\', '/');
  try {
    return fromRoot.resolve(name) === file ? name : null;
  } catch {
    // The package exports it to its own modules only.
    return null;
  }
}

/**
 * Large tables of JSON stay in their packages, such as the types of files, or character sets that hardly a request names. In a program they
 * would be text and code as well, and a character set would make the program large even where nobody asks for it.
 */
const tablesOutside: Plugin = {
  name: 'tables-outside',
  resolveId: {
    filter: { id: /\.json$/ },
    async handler(source, importer, options) {
      if (importer?.includes('node_modules') !== true) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found === null || (await stat(found.id)).size < tableBytes) return found;
      const name = nameOf(found.id);
      return name === null ? found : { id: name, external: true };
    },
  },
};

/** Name of the module that stands for Node's in the bundle. */
const httpModule = '\0node:http';
/** Members that load the client of `fetch`, of which they are a part, when they are read. An import reads all members. */
const ofFetch: ReadonlySet<string> = new Set(['CloseEvent', 'MessageEvent', 'WebSocket']);

/** Node's server and client of HTTP without those members: 13 MB and 20 ms for each process. */
const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  resolveId: {
    filter: { id: /^(?:node:)?http$/ },
    handler: (_source, _importer, { kind }) => (kind === 'import-statement' ? httpModule : null),
  },
  load: {
    filter: { id: /^\0node:http$/ },
    handler() {
      const names = Object.keys(http).filter((name) => !ofFetch.has(name));
      return `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.join(', ')} } = http;`;
    },
  },
};

/** Writes each chunk in ASCII, after all else. */
const ascii: Plugin = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = inAscii(file.code);
  },
};

/** Make a bundle take less memory. Source: docs/decisions/0246, 0252. */
export const lighter: readonly Plugin[] = [tablesOutside, rareLater, httpWithoutFetch, ascii];
