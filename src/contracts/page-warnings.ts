import { z } from 'zod';

/** Parts of a page that could not be read, by code. Source: docs/decisions/0134, 0217. */
const pageWarnings = {
  picture_too_large: 'A picture on this page is too large to decode. Its text is missing.',
  picture_damaged: 'A picture on this page is damaged. Its text may be missing or incomplete.',
  content_damaged: 'Part of this page is damaged. Its text may be missing.',
  text_not_found: 'This page is not blank, but no text was found on it.',
  recognition_incomplete: 'Text recognition stopped early on this page. Its text may be wrong or incomplete.',
} as const;

export type PageWarningCode = keyof typeof pageWarnings;
const codes = Object.keys(pageWarnings) as PageWarningCode[];

/** Limit of warnings that a document shows; its OCR result has all. */
export const mostShownWarnings = 20;

export const PageWarning = z
  .object({
    page: z.int().min(0).describe('Page index'),
    code: z.enum(codes as [PageWarningCode, ...PageWarningCode[]]),
    detail: z.string(),
  })
  .meta({ id: 'PageWarning' });

export function presentWarnings(
  warnings: readonly { readonly page: number; readonly code: PageWarningCode }[] = [],
): z.input<typeof PageWarning>[] {
  return warnings.map(({ page, code }) => ({ page, code, detail: pageWarnings[code] }));
}
