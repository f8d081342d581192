import sharp from 'sharp';

/** Configures libvips once for the process, when this module loads. Import it lazily: `const { sharp } = await import(...)`. */
sharp.concurrency(1);
sharp.cache(false);
// Turns off every loader (SVG, PDF, ImageMagick, file paths and those of later versions), then turns on the ones in use.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadTiffBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
});

export { sharp };
