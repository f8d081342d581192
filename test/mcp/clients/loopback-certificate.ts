/** A certificate that nobody vouches for, of the address 127.0.0.1, with its key: for servers of tests, and worth nothing elsewhere. */
export const loopbackCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge1pZuMTHhM7h8ma/
E6acuo1UnDVpy9+JRkZkJSgHCRyhRANCAAQutG43rS0deqykfvMU76awVbfimiml
PSvnR7hoWIt+Jt/Rw6ywQ+RSnqK4rzIRRCfCujJk/OEwTWWDRn4oGsh+
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUNTo6IBb1ZQnrWcHHZUSpl60VCFYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMTE0MjUwMloYDzIxMjYxMDI4
MTQyNTAyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQutG43rS0deqykfvMU76awVbfimimlPSvnR7hoWIt+Jt/Rw6ywQ+RS
nqK4rzIRRCfCujJk/OEwTWWDRn4oGsh+o2QwYjAdBgNVHQ4EFgQUGMN4Hudy+TRh
To3lcA14VcGgOHkwHwYDVR0jBBgwFoAUGMN4Hudy+TRhTo3lcA14VcGgOHkwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IQD3SvzV2aUTteILDhgE2HdIvvFlMuBE7/O7HX++sytwKwIgWD3XnagBTKwBG8RT
/06hMjnCMjvix2ahViuXo7OoVTk=
-----END CERTIFICATE-----
`,
};
