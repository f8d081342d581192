import sharp from 'sharp';

/**
 * libvips with the settings of docs/decisions/0005. Import lazily: `const { sharp } = await import(...)`.
 * The settings belong to the process, so they are made once, when this module is first loaded.
 */
sharp.concurrency(1);
sharp.cache(false);
// Every loader is off (SVG, PDF, ImageMagick, file paths and whatever a later libvips adds), then the wanted ones are on.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadTiffBuffer',
    'VipsForeignLoadNsgifBuffer',
  ],
});

export { sharp };
