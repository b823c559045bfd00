// wire/messages.h -- a machine's messages and durable records as bytes, and back.
//
// Both outlive the program that wrote them: a message goes to a peer of another version, a record
// is read after an upgrade or a downgrade. So both grow as layout.h says.
#pragma once
#include "wire/layout.h"

namespace conclave::wire {

template <class P> void write_message(Bytes& out, const typename P::Message& message) {
    encode<Growing>(out, message);
}

// False if the bytes are not one message and nothing else, with `message` in any state: garbage, or
// an alternative of a newer version. Either way it is the letter that is dropped, not the link.
template <class P> [[nodiscard]] bool read_message(ByteView in, typename P::Message& message) {
    return decode<Growing>(in, message) && in.empty();
}

template <class P> void write_record(Bytes& out, const typename P::Durable& durable) {
    encode<Growing>(out, durable);
}

template <class P> [[nodiscard]] bool read_record(ByteView in, typename P::Durable& durable) {
    durable = {};  // an older record lacks fields, and they mean their defaults
    return decode<Growing>(in, durable) && in.empty();
}

}  // namespace conclave::wire
