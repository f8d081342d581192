import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '#src/domain/app-error.ts';
import { anyLanguage } from '#src/domain/documents/languages/choose.ts';

/** Variant of the models that was measured. Source: docs/decisions/0020. */
export const modelVariant = '4.0.0_best_int';
const codes = /^[a-z]{3}(?:_[a-z]{1,8})?(?:\+[a-z]{3}(?:_[a-z]{1,8})?){0,4}$/;

/** Finds the folder that holds `<code>.traineddata.gz` of every code of `eng` or `deu+eng`. */
export interface TesseractLanguages {
  /** Throws `request.invalid` for a language that is not installed. */
  folder(language: string): Promise<string>;
  installed(): readonly string[];
  /** Removes the staged folders. */
  close(): Promise<void>;
}

/** Folders that hold `<code>.traineddata.gz`, beside the npm packages `@tesseract.js-data/<code>`. */
export interface LanguageFolders {
  /** Models of all languages, instead of the packages. */
  readonly modelFolder?: string;
  /** Models that the operator added to the packages. */
  readonly addedFolder?: string;
}

export interface InstalledLanguage {
  readonly code: string;
  /** Bundled ones come with the packages of this program. */
  readonly source: 'bundled' | 'added';
}

/** Folder of the languages that `npm run languages -- add` installs. Source: docs/decisions/0145. */
export function addedLanguagesFolder(dataDir: string): string {
  return join(dataDir, 'languages');
}

export function createTesseractLanguages({ modelFolder, addedFolder }: LanguageFolders = {}): TesseractLanguages {
  const installed = createLanguageCodes(addedFolder);
  const staged = new Map<string, Promise<string>>();

  const folderOf = (code: string): string => {
    const folder = modelFolder === undefined ? findFolder(code, addedFolder) : holding(modelFolder, code);
    if (folder === null) {
      throw new AppError(
        'request.invalid',
        `The OCR language "${code}" is not installed here. Use another language, or ask the operator to run npm run languages -- add ${code}.`,
      );
    }
    return folder;
  };

  /** Copies the models into one folder, from which Tesseract reads them. */
  const stage = async (folders: ReadonlyMap<string, string>): Promise<string> => {
    const target = await mkdtemp(join(tmpdir(), 'inkgraph-ocr-'));
    for (const [code, folder] of folders) await copyFile(join(folder, modelFile(code)), join(target, modelFile(code)));
    return target;
  };

  return {
    installed: () => (modelFolder === undefined ? installed() : codesIn(modelFolder)),
    async folder(language) {
      if (!codes.test(language)) {
        throw new AppError(
          'request.invalid',
          'The OCR language must be up to five Tesseract codes, like "eng" or "deu+eng".',
        );
      }
      const folders = new Map(language.split('+').map((code) => [code, folderOf(code)]));
      const [only, ...others] = new Set(folders.values());
      if (only !== undefined && others.length === 0) return only;
      const folder = staged.get(language) ?? stage(folders);
      staged.set(language, folder);
      return folder;
    },
    async close() {
      for (const folder of staged.values()) await rm(await folder, { recursive: true, force: true });
      staged.clear();
    },
  };
}

/** Codes of `language` without data, neither bundled nor in `addedFolder`. `auto` takes what there is. */
export function missingLanguages(language: string, addedFolder: string): string[] {
  if (language === anyLanguage) return [];
  return language.split('+').filter((code) => findFolder(code, addedFolder) === null);
}

/** Codes of the languages that come with the packages. They stay as they are while a process runs. */
function bundledLanguages(): string[] {
  return readdirSync(packagesFolder()).filter((code) => findFolder(code) !== null);
}

/** Languages that can be read, by code. A bundled one hides an added one of the same code. */
export function installedLanguages(addedFolder?: string, bundled = bundledLanguages()): InstalledLanguage[] {
  const added = addedFolder === undefined ? [] : codesIn(addedFolder);
  return [...new Set([...bundled, ...added])]
    .toSorted()
    .map((code) => ({ code, source: bundled.includes(code) ? 'bundled' : 'added' }));
}

/** A folder can change twice in one tick of its file system's clock: what was listed sooner after a change is listed again. */
const settledMs = 1_000;

/** Returns the codes of `installedLanguages`. Lists the folder only after it has changed: requests ask for them. */
export function createLanguageCodes(addedFolder?: string): () => readonly string[] {
  const bundled = bundledLanguages();
  let known: { readonly changedAt: number; readonly codes: readonly string[] } | null = null;
  return () => {
    const changedAt = addedFolder === undefined ? 0 : (statSync(addedFolder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (known?.changedAt === changedAt) return known.codes;
    const installed = installedLanguages(addedFolder, bundled).map(({ code }) => code);
    known = Date.now() - changedAt > settledMs ? { changedAt, codes: installed } : null;
    return installed;
  };
}

function codesIn(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((name) => (name.endsWith(modelFile('')) ? [name.slice(0, -modelFile('').length)] : []));
}

/** Version of the bundled data: languages of the same version fit the installed tesseract.js. */
export function languageDataVersion(): string {
  const { version } = createRequire(import.meta.url)('@tesseract.js-data/eng/package.json') as { version: string };
  return version;
}

export function modelFile(code: string): string {
  return `${code}.traineddata.gz`;
}

function holding(folder: string | null, code: string): string | null {
  return folder !== null && existsSync(join(folder, modelFile(code))) ? folder : null;
}

function findFolder(code: string, addedFolder?: string): string | null {
  return holding(packageFolder(code), code) ?? holding(addedFolder ?? null, code);
}

function packagesFolder(): string {
  const { resolve } = createRequire(import.meta.url);
  return dirname(dirname(resolve('@tesseract.js-data/eng/package.json')));
}

function packageFolder(code: string): string | null {
  const { resolve } = createRequire(import.meta.url);
  try {
    return join(dirname(resolve(`@tesseract.js-data/${code}/package.json`)), modelVariant);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
