import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { installLanguages } from '#scripts/languages/install-languages.ts';
import { addedLanguagesFolder, installedLanguages, modelFile } from '#src/adapters/ocr/tesseract-languages.ts';
import { anyLanguage } from '#src/domain/documents/languages/choose.ts';
import { loadConfig, type Config } from '#src/config/config.ts';

const usage = helpText({
  usage: 'npm run languages -- <command>',
  does: "Installs and removes languages that OCR can read. Codes are Tesseract's: deu, fra, spa, ita, por, nld, pol, jpn, chi_sim and others.",
  commands: [
    ['list', 'installed languages, and those that OCR_LANGUAGE uses'],
    ['add <code> ...', 'installs languages into DATA_DIR/languages, with npm'],
    ['remove <code> ...', 'removes languages that were added'],
  ],
  examples: ['npm run languages -- list', 'npm run languages -- add deu fra'],
});

const codePattern = /^[a-z]{3}(_[a-z]{3,4})?$/;
/** OCR reads at most this many languages at once. */
const languagesAtOnce = 5;

function codesGiven(given: readonly string[]): string[] {
  if (given.length === 0) throw new UsageError(usage);
  for (const code of given)
    if (!codePattern.test(code))
      throw new UsageError(
        `${JSON.stringify(code)} is not a language code. Use Tesseract's codes: three small letters, such as deu or chi_sim.`,
      );
  return [...new Set(given)];
}

/** Languages that documents are read in by default. */
const usedOf = ({ language }: Config['ocr'], installed: readonly { readonly code: string }[]): readonly string[] =>
  language === anyLanguage ? installed.map(({ code }) => code) : language.split('+');

function list({ ocr, dataDir }: Config, out: Terminal['out']): void {
  const installed = installedLanguages(addedLanguagesFolder(dataDir));
  const used = usedOf(ocr, installed);
  for (const { code, source } of installed)
    out(`${code.padEnd(10)} ${source.padEnd(8)}${used.includes(code) ? ' used by default' : ''}\n`);
  for (const code of used.filter((each) => installed.every((language) => language.code !== each)))
    out(`${code.padEnd(10)} missing  used by default: run npm run languages -- add ${code}\n`);
  out(`\nOCR_LANGUAGE=${ocr.language}. To add a language: npm run languages -- add deu. Codes are Tesseract's.\n`);
}

async function add(codes: readonly string[], { ocr, dataDir }: Config, { env, out }: Terminal): Promise<void> {
  const folder = addedLanguagesFolder(dataDir);
  const installed = new Set(installedLanguages(folder).map(({ code }) => code));
  const wanted = codes.filter((code) => !installed.has(code));
  for (const code of codes) if (installed.has(code)) out(`${code} is installed already.\n`);
  if (wanted.length > 0) {
    await installLanguages(wanted, { dataDir, folder, env });
    out(`Installed ${wanted.join(', ')} in ${folder}.\n`);
  }
  if (ocr.language === anyLanguage) return out('OCR finds out which of the installed languages a document has.\n');
  const used = ocr.language.split('+');
  if (codes.every((code) => used.includes(code))) return out('Restart the services.\n');
  const all = [...new Set([...used, ...codes])].slice(0, languagesAtOnce);
  out(`Name them as languages of an upload or of a key, such as ${JSON.stringify(codes)}.\n`);
  out(`For all documents: set OCR_LANGUAGE=${all.join('+')}, or auto, and restart the services.\n`);
}

async function remove(codes: readonly string[], { ocr, dataDir }: Config, out: Terminal['out']): Promise<void> {
  const folder = addedLanguagesFolder(dataDir);
  const installed = new Map(installedLanguages(folder).map(({ code, source }) => [code, source]));
  for (const code of codes) {
    if (!installed.has(code)) throw new UsageError(`${code} is not installed. See npm run languages -- list.`);
    if (installed.get(code) === 'bundled')
      throw new UsageError(`${code} is bundled and cannot be removed. Set OCR_LANGUAGE to languages without it.`);
  }
  for (const code of codes) await rm(join(folder, modelFile(code)));
  out(`Removed ${codes.join(', ')}.\n`);
  const used = ocr.language.split('+').filter((code) => codes.includes(code));
  if (used.length > 0)
    out(`OCR_LANGUAGE=${ocr.language} still names ${used.join(', ')}. Change it before the next start.\n`);
}

/** `npm run languages -- list|add|remove`: the languages that OCR can read. Source: docs/decisions/0145. */
export const languages = withHelp(usage, async (terminal) => {
  const { args, env, out } = terminal;
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
  const [command, ...rest] = positionals;
  const config = loadConfig(env);
  if (command === 'list' && rest.length === 0) return list(config, out);
  if (command === 'add') return add(codesGiven(rest), config, terminal);
  if (command === 'remove') return remove(codesGiven(rest), config, out);
  throw new UsageError(usage);
});

if (import.meta.main) await orExplain(languages);
