/** Types by the end of the name, for browsers that do not know them. */
const unknownToBrowsers = /\.(hei[cf])$/i;

/** The file with its media type: most browsers have none for HEIC. */
export function withType(file: File): File {
  const [, extension] = unknownToBrowsers.exec(file.name) ?? [];
  if (file.type !== '' || extension === undefined) return file;
  return new File([file], file.name, { type: `image/${extension.toLowerCase()}`, lastModified: file.lastModified });
}
