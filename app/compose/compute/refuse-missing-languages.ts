import { addedLanguagesFolder, missingLanguages } from '#src/adapters/ocr/tesseract-languages.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';

/** Throws ConfigError for a language that this process reads and has no data of. */
export function refuseMissingLanguages({ services, ocr, dataDir }: Config): void {
  if (!services.has('agents')) return;
  const missing = missingLanguages(ocr.language, addedLanguagesFolder(dataDir));
  if (missing.length === 0) return;
  throw new ConfigError(
    `OCR_LANGUAGE=${ocr.language}: no data for ${missing.join(', ')}. Run npm run languages -- add ${missing.join(' ')}, or choose another language.`,
  );
}
