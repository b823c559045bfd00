// net/asio_impl.cc -- the one place where the bodies of Asio and of its TLS part are compiled.
//
// Everything else sees declarations only (BOOST_ASIO_SEPARATE_COMPILATION), which is what keeps a
// file that touches a socket at seconds instead of a minute under sanitizers.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
