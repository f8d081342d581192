import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '#src/domain/app-error.ts';

/** Variant of the models that was measured. Source: docs/decisions/0020. */
export const modelVariant = '4.0.0_best_int';
const codes = /^[a-z]{3}(?:_[a-z]{1,8})?(?:\+[a-z]{3}(?:_[a-z]{1,8})?){0,4}$/;

/** Finds the folder that holds `<code>.traineddata.gz` of every code of `eng` or `deu+eng`. */
export interface TesseractLanguages {
  /** Throws `request.invalid` for a language that is not installed. */
  folder(language: string): Promise<string>;
  /** Removes the staged folders. */
  close(): Promise<void>;
}

/** `modelFolder`: a folder with the models of all languages, instead of the npm packages `@tesseract.js-data/<code>`. */
export function createTesseractLanguages(modelFolder?: string): TesseractLanguages {
  const { resolve } = createRequire(import.meta.url);
  const staged = new Map<string, Promise<string>>();

  const folderOf = (code: string): string => {
    const folder = modelFolder ?? packageFolder(resolve, code);
    if (folder === null || !existsSync(join(folder, modelFile(code)))) {
      throw new AppError(
        'request.invalid',
        `The OCR language "${code}" is not installed here. Use another language, or ask the operator to install @tesseract.js-data/${code}.`,
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

/** Codes of `language` whose npm package is not installed. */
export function missingLanguages(language: string): string[] {
  const { resolve } = createRequire(import.meta.url);
  return language.split('+').filter((code) => {
    const folder = packageFolder(resolve, code);
    return folder === null || !existsSync(join(folder, modelFile(code)));
  });
}

function modelFile(code: string): string {
  return `${code}.traineddata.gz`;
}

function packageFolder(resolve: (id: string) => string, code: string): string | null {
  try {
    return join(dirname(resolve(`@tesseract.js-data/${code}/package.json`)), modelVariant);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
