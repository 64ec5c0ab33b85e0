// TLS and tokens on TCP: who gets in, who does not.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "rpc/server_fixture.hpp"

namespace cuzk::rpc::test {
namespace {

// A self-signed certificate for 127.0.0.1, written as two PEM files.
void write_certificate(const std::string& certificate_path, const std::string& key_path) {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("cuzk test"),
                               -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate, key, EVP_sha256());
    FILE* out = fopen(certificate_path.c_str(), "w");
    PEM_write_X509(out, certificate);
    fclose(out);
    out = fopen(key_path.c_str(), "w");
    PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
    fclose(out);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

class TlsTest : public ServerTest {
protected:
    static constexpr const char* kToken = "0123456789abcdef0123";

    void start_guarded() {
        options_.tls_certificate = folder_.file("cert.pem");
        options_.tls_key = folder_.file("key.pem");
        write_certificate(options_.tls_certificate, options_.tls_key);
        tokens_ = TokenList::load(folder_.write("tokens", std::string("miner-7 ") + kToken + "\n"));
        options_.listen = {parse_address("127.0.0.1:0"), parse_address("unix:" + folder_.file("c.sock"))};
        start();
    }
    ClientOptions good() const {
        ClientOptions options = client_options(0);
        options.tls = true;
        options.tls_ca = options_.tls_certificate;
        options.token = kToken;
        return options;
    }
    static void expect_refused(const ClientOptions& options, const std::string& part) {
        Client client(options);
        try {
            client.submit(request("intruder"));
            ADD_FAILURE() << "was let in";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    }
};

TEST_F(TlsTest, ATokenOverTlsGetsInUnderItsName) {
    start_guarded();
    Client client(good());
    EXPECT_EQ(client.prove(request("mine")).state, engine::JobState::kCompleted);
    EXPECT_EQ(client.jobs().at(0).client, "miner-7");
}

TEST_F(TlsTest, NobodyElseDoes) {
    start_guarded();
    ClientOptions options = good();
    options.token.clear();
    expect_refused(options, "a bearer token is needed");
    options.token = "0123456789abcdef0124";
    expect_refused(options, "the bearer token is not known");
    options = good();
    options.tls = false;  // plain text to a TLS port
    expect_refused(options, "no daemon takes the call");
    options = good();
    options.tls_ca = folder_.file("other.pem");
    write_certificate(options.tls_ca, folder_.file("other.key"));
    expect_refused(options, "no daemon takes the call");
    EXPECT_TRUE(engine_->status().jobs.empty());
}

TEST_F(TlsTest, ALocalSocketIsGuardedByItsPermissions) {
    start_guarded();
    Client client(client_options(1));
    EXPECT_EQ(client.prove(request("local")).state, engine::JobState::kCompleted);
}

TEST_F(TlsTest, ABrokenCertificateIsAnErrorAtStart) {
    options_.tls_certificate = folder_.write("cert.pem", "no certificate");
    options_.tls_key = folder_.write("key.pem", "no key");
    options_.listen = {parse_address("127.0.0.1:0")};
    EXPECT_THROW(start(), Error);
}

TEST_F(TlsTest, WithBothItMayBeReachable) {
    options_.tls_certificate = folder_.file("cert.pem");
    options_.tls_key = folder_.file("key.pem");
    write_certificate(options_.tls_certificate, options_.tls_key);
    options_.listen = {parse_address("0.0.0.0:0")};
    EXPECT_THROW(start(), Error) << "TLS without tokens";
    tokens_ = TokenList::load(folder_.write("tokens", std::string("miner-7 ") + kToken + "\n"));
    start();
}

}  // namespace
}  // namespace cuzk::rpc::test
